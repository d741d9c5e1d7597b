import Foundation
import Messages
import NatsClient
import WireCoding

/// Asks services to erase a person.
struct ErasureClient: Sendable {
    /// A part has some hundred deliveries, whose rows are deleted meanwhile.
    private static let timeout = Duration.seconds(10)

    /// Sends a request to a subject, and returns the reply.
    typealias Request = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private let request: Request

    init(request: @escaping Request) { self.request = request }

    init(_ nats: NatsClient) {
        self.init { try await nats.request($0, to: $1, timeout: Self.timeout).payload }
    }

    /// - Throws: where nothing answers in time, or the service refuses the request.
    func callAsFunction(_ service: ErasingService, _ part: PersonErasureRequest) async throws -> ErasureReceipt {
        let reply = try await request([UInt8](WireJSON.encode(part)), Subject.erasures(service))
        let receipt = try WireJSON.decode(ErasureReceipt.self, from: Data(reply))
        if let fault = receipt.fault { throw Refused(fault: fault) }
        return receipt
    }

    private struct Refused: Error, CustomStringConvertible {
        let fault: String
        var description: String { fault }
    }
}
