import Foundation
import Messages
import Synchronization
import Testing
import WireCoding

@testable import Orders

/// The other services, which export what a test asks, and which a test takes away.
final class ExportingServicesByTest: Sendable {
    /// Returns a service's chunk.
    typealias Answering = @Sendable (ErasingService, ExportRequest) async throws -> ExportChunk

    private struct State {
        var requests: [String: [ExportRequest]] = [:]
        var answers: Answering = { _, _ in ExportChunk(section: nil, records: [], next: nil) }
    }

    struct Away: Error {}

    private let state = Mutex(State())

    /// What each service was asked, in order.
    subscript(service: ErasingService) -> [ExportRequest] {
        state.withLock { $0.requests[service.rawValue] ?? [] }
    }

    /// Has the services answer so; by default they have nothing.
    func answer(_ answers: @escaping Answering) { state.withLock { $0.answers = answers } }

    var client: ExportClient {
        ExportClient { [self] payload, subject in
            let service = try #require(ErasingService.allCases.first { Subject.exports($0) == subject })
            let request = try WireJSON.decode(ExportRequest.self, from: Data(payload))
            #expect(request.fault == nil)
            let answers = state.withLock { state in
                state.requests[service.rawValue, default: []].append(request)
                return state.answers
            }
            return try [UInt8](WireJSON.encode(await answers(service, request)))
        }
    }
}
