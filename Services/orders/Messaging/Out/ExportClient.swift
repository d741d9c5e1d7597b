import Foundation
import Messages
import NatsClient
import WireCoding

/// Asks services for a person's records.
struct ExportClient: Sendable {
    private static let timeout = Duration.seconds(10)

    private let request: ErasureClient.Request

    init(request: @escaping ErasureClient.Request) { self.request = request }

    init(_ nats: NatsClient) {
        self.init { try await nats.request($0, to: $1, timeout: Self.timeout).payload }
    }

    /// - Throws: where nothing answers in time, or the service refuses the request.
    func callAsFunction(_ service: ErasingService, _ part: ExportRequest) async throws -> ExportChunk {
        let reply = try await request([UInt8](WireJSON.encode(part)), Subject.exports(service))
        return try WireJSON.decode(ExportChunk.self, from: Data(reply))
    }
}
