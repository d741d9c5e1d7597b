import DomainTime
import DoorstepAPI
package import Foundation
import NIOHTTP1
package import OrderDomain
import Synchronization
import WireCoding

/// The end of a delivery.
package enum Ending: Hashable, Sendable {
    case delivered, cancelled, returned

    package var status: StatusCode {
        switch self {
        case .delivered: .delivered
        case .cancelled: .cancelled
        case .returned: .returned
        }
    }

    /// Domain seconds that its card stays (DESIGN, decided 4).
    package var keptSeconds: Int {
        switch self {
        case .delivered: 15 * 60
        case .cancelled: 30 * 60
        case .returned: 2 * 60 * 60
        }
    }
}

/// Counts how many deliveries have reached each status, for faults that wait for the middle of a scenario.
package final class Progress: Sendable {
    private let reached = Mutex<[StatusCode: Int]>([:])

    package func record(_ status: StatusCode) { reached.withLock { $0[status, default: 0] += 1 } }

    package func count(_ status: StatusCode) -> Int { reached.withLock { $0[status] ?? 0 } }
}

/// One delivery, driven by the shop and its courier: on the domain clock, retrying each step until it succeeds.
package struct DeliveryRun: Sendable {
    package let stack: any StackUnderTest
    package let id: DeliveryID
    package let courier: String
    package let route: Route
    package let ending: Ending
    package let progress: Progress
    /// Domain seconds between two steps in the store.
    package var storeStepSeconds = 20.0
    /// Runs before the courier reports being at the door; a scenario may wait here.
    package var beforeHandOver: @Sendable () async throws -> Void = {}
    /// Domain seconds at the door before the hand-over.
    package var doorSeconds = 30.0

    /// Moves the delivery from placed to its end.
    package func callAsFunction() async throws {
        try await prepare()
        if ending == .cancelled { return try await report(.cancelled) }
        try await report(.atStore)
        try await report(.pickedUp)
        try await ride()
    }

    /// The store region: accepted, picking, assigned, staged.
    package func prepare() async throws {
        try await report(.accepted)
        try await pause(storeStepSeconds)
        try await report(.picking)
        try await pause(storeStepSeconds)
        guard ending != .cancelled else { return }
        try await assign()
        try await report(.staged)
        try await pause(storeStepSeconds)
    }

    /// On the way and at the door; fixes and status reports are sent independently of each other.
    package func ride() async throws {
        let start = stack.clock.now
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await sendFixes(from: start)
                return false
            }
            group.addTask {
                try await stack.clock.sleep(until: start.addingTimeInterval(route.seconds))
                try await beforeHandOver()
                try await handOver()
                return true
            }
            // The hand-over is the end; fixes that remain are not sent.
            while let isOver = try await group.next(), !isOver {}
            group.cancelAll()
        }
    }

    /// Reports the arrival at the door, and the ending.
    package func handOver() async throws {
        try await report(.atDoor)
        try await pause(doorSeconds)
        switch ending {
        case .returned:
            try await report(.attempted)
            try await report(.returning)
            try await report(.returned)
        case .delivered, .cancelled: try await report(.delivered)
        }
    }

    /// Reports a status until the delivery has it or a later one.
    package func report(_ status: StatusCode) async throws {
        do {
            try await stack.asStore.exchange(
                .POST, .orders, "/v1/deliveries/\(id)/status", try WireJSON.encode(StatusBody(status: status)))
        } catch let refused as RetryingClient.ResponseError where refused.status == 409 {
            // A milestone made the change first, or the response of an earlier attempt was lost.
            let now: DeliveryBody = try await stack.asStore.get(.orders, "/v1/deliveries/\(id)")
            guard now.status.rank >= status.rank else { throw refused }
        }
        progress.record(status)
    }

    package func assign() async throws {
        guard let courierID = CourierID(rawValue: courier) else { preconditionFailure("a courier's id") }
        let body = AssignBody(
            courier: .described(CourierBody(id: courierID, name: courier.capitalized, vehicle: .bicycle, phone: nil)))
        try await stack.asStore.exchange(
            .PUT, .orders, "/v1/deliveries/\(id)/courier", try WireJSON.encode(body))
    }

    /// Sends each fix at its time; fixes delayed by an outage go with the next.
    package func sendFixes(from start: Date) async throws {
        let client = RetryingClient(stack: stack, token: try await stack.tokens.courier(courier))
        var rest = route.points[...]
        while let next = rest.first {
            try await stack.clock.sleep(until: start.addingTimeInterval(next.seconds))
            let elapsed = stack.clock.now.timeIntervalSince(start)
            let due = rest.prefix { $0.seconds <= max(elapsed, next.seconds) }
            let fixes = due.map {
                FixBody.readable(
                    .init(
                        time: start.addingTimeInterval($0.seconds), latitude: $0.place.latitude,
                        longitude: $0.place.longitude, accuracy: 10))
            }
            let _: FixesAnswer = try await client.send(.POST, .courierETA, "/v1/fixes", FixesBody(fixes: fixes))
            rest = rest.dropFirst(due.count)
        }
    }

    private func pause(_ seconds: Double) async throws {
        try await stack.clock.sleep(until: stack.clock.now.addingTimeInterval(seconds))
    }
}
