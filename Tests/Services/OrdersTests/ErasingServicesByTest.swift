import Foundation
import Messages
import Synchronization
import Testing
import WireCoding

@testable import Orders

/// The other services, which erase what a test asks, and which a test takes away.
final class ErasingServicesByTest: Sendable {
    private struct State {
        var requests: [String: [ErasureRequest]] = [:]
        var answers: @Sendable (ErasingService, ErasureRequest) throws -> ErasureReceipt = { _, _ in ErasureReceipt() }
    }

    struct Away: Error {}

    private let state = Mutex(State())

    /// What each service was asked, in order.
    subscript(service: ErasingService) -> [ErasureRequest] {
        state.withLock { $0.requests[service.rawValue] ?? [] }
    }

    /// Has the services answer so; by default they have erased nothing.
    func answer(_ answers: @escaping @Sendable (ErasingService, ErasureRequest) throws -> ErasureReceipt) {
        state.withLock { $0.answers = answers }
    }

    var client: ErasureClient {
        ErasureClient { [self] payload, subject in
            let service = try #require(ErasingService.allCases.first { Subject.erasures($0) == subject })
            let request = try WireJSON.decode(ErasureRequest.self, from: Data(payload))
            #expect(request.fault == nil)
            let answers = state.withLock { state in
                state.requests[service.rawValue, default: []].append(request)
                return state.answers
            }
            return try [UInt8](WireJSON.encode(answers(service, request)))
        }
    }
}
