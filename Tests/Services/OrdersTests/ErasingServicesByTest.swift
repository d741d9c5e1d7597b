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
        var courierRequests: [String: [CourierErasureRequest]] = [:]
        var courierAnswers: @Sendable (ErasingService, CourierErasureRequest) throws -> ErasureReceipt = { _, _ in
            ErasureReceipt()
        }
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

    /// What each service was asked about couriers, in order; questions too.
    func courierRequests(to service: ErasingService) -> [CourierErasureRequest] {
        state.withLock { $0.courierRequests[service.rawValue] ?? [] }
    }

    /// Has the services answer so about couriers; by default they have erased nothing, and no courier is on duty.
    func answerAboutCouriers(
        _ answers: @escaping @Sendable (ErasingService, CourierErasureRequest) throws -> ErasureReceipt
    ) {
        state.withLock { $0.courierAnswers = answers }
    }

    var client: ErasureClient {
        ErasureClient { [self] payload, subject in
            let service = try #require(ErasingService.allCases.first { Subject.erasures($0) == subject })
            switch try WireJSON.decode(PersonErasureRequest.self, from: Data(payload)) {
            case .customer(let request):
                #expect(request.fault == nil)
                let answers = state.withLock { state in
                    state.requests[service.rawValue, default: []].append(request)
                    return state.answers
                }
                return try [UInt8](WireJSON.encode(answers(service, request)))
            case .courier(let request):
                #expect(request.fault == nil)
                let answers = state.withLock { state in
                    state.courierRequests[service.rawValue, default: []].append(request)
                    return state.courierAnswers
                }
                return try [UInt8](WireJSON.encode(answers(service, request)))
            }
        }
    }
}
