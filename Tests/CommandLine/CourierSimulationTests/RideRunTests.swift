import CommandOutput
import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import Synchronization
import Testing

@testable import CourierSimulation

/// Services that are unavailable for the first requests, and record the later ones.
private final class FlakyServices: RideServices {
    struct State {
        var absences: Int
        var fixes: [Date] = []
        var batches: [Int] = []
        var delivery = SampleDeliveries.delivery(Array(SampleDeliveries.toEnRoute.prefix(4)))
        var statuses: [StatusCode] = []
    }

    let state: Mutex<State>

    init(absences: Int) { state = Mutex(State(absences: absences)) }

    func send(_ fixes: FixesBody) async throws -> FixesAnswer {
        try state.withLock { state in
            guard state.absences == 0 else {
                state.absences -= 1
                throw CommandFailure(.unavailable, "away")
            }
            state.fixes += fixes.fixes.compactMap { fix in
                guard case .readable(let position) = fix else { return nil }
                return position.time
            }
            state.batches.append(fixes.fixes.count)
            return FixesAnswer(accepted: fixes.fixes.count, ignored: [:])
        }
    }

    func delivery(_ id: DeliveryID) async throws -> DeliveryBody { state.withLock { $0.delivery } }

    func set(_ status: StatusCode, of delivery: DeliveryID) async throws {
        state.withLock { $0.statuses.append(status) }
    }
}

@Suite("Riding")
struct RideRunTests {
    /// A ride that is over already, on a clock that stands still.
    private func run(_ services: FlakyServices, fixes: Int) async throws -> Ride {
        let wall = ManualClock(SampleDeliveries.at(600))
        let place = SampleDeliveries.place(55.7, 12.6)
        let ride = Ride(
            fixes: (0..<fixes).map { index in
                let time = SampleDeliveries.placedAt.addingTimeInterval(Double(index) * 5)
                return .init(time: time, place: place, sentAt: time)
            })
        let run = RideRun(
            plan: .recorded(ride, to: [SampleDeliveries.delivery()], isPressing: true), clock: wall.domain,
            services: services, log: DiscardingRideLog(), pause: { _ in })
        try await run.run()
        return ride
    }

    @Test("A service that was unavailable gets its backlog once it is back: in order, once, a hundred at a time")
    func away() async throws {
        let services = FlakyServices(absences: 7)
        let ride = try await run(services, fixes: 250)
        services.state.withLock { state in
            #expect(state.fixes == ride.fixes.map(\.time))
            #expect(state.batches == [100, 100, 50])
        }
    }

    @Test("Only what can be pressed now is pressed")
    func presses() async throws {
        let services = FlakyServices(absences: 0)
        _ = try await run(services, fixes: 2)
        services.state.withLock { #expect($0.statuses == [.pickedUp]) }
    }
}
