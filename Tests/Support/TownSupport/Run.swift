import DomainTime
import DoorstepAPI
package import Foundation
import NIOHTTP1
package import OrderDomain
import Synchronization
import WireCoding

/// How a delivery is to end.
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

/// How far the deliveries of a town are, for whoever waits for the middle of them.
package final class Progress: Sendable {
    private let reached = Mutex<[StatusCode: Int]>([:])

    package func note(_ status: StatusCode) { reached.withLock { $0[status, default: 0] += 1 } }

    package func count(_ status: StatusCode) -> Int { reached.withLock { $0[status] ?? 0 } }
}

/// One delivery as the shop and its courier live it: on the domain clock, asking again until each step is answered.
package struct Run: Sendable {
    package let stack: any TownStack
    package let id: DeliveryID
    package let courier: String
    package let route: Route
    package let ending: Ending
    package let progress: Progress
    /// Domain seconds between two steps in the store.
    package var pace = 20.0
    /// What the courier sees before they ring: nothing, unless a story waits for something.
    package var beforeDoor: @Sendable () async throws -> Void = {}
    /// Domain seconds at the door before the hand-over.
    package var doorSeconds = 30.0

    /// Takes the delivery from placed to its end.
    package func callAsFunction() async throws {
        try await prepare()
        if ending == .cancelled { return try await press(.cancelled) }
        try await press(.atStore)
        try await press(.pickedUp)
        try await ride()
    }

    /// In the store: accepted, picked, given to a courier, packed.
    package func prepare() async throws {
        try await press(.accepted)
        try await pause(pace)
        try await press(.picking)
        try await pause(pace)
        guard ending != .cancelled else { return }
        try await assign()
        try await press(.staged)
        try await pause(pace)
    }

    /// On the way and at the door; the phone's fixes wait for no press, nor presses for fixes.
    package func ride() async throws {
        let start = stack.clock.now
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await sendFixes(from: start)
                return false
            }
            group.addTask {
                try await stack.clock.sleep(until: start.addingTimeInterval(route.seconds))
                try await beforeDoor()
                try await handOver()
                return true
            }
            // The hand-over is the end; fixes that are left then are of no use to anybody.
            while let isOver = try await group.next(), !isOver {}
            group.cancelAll()
        }
    }

    /// At the door.
    package func handOver() async throws {
        try await press(.atDoor)
        try await pause(doorSeconds)
        switch ending {
        case .returned:
            try await press(.attempted)
            try await press(.returning)
            try await press(.returned)
        case .delivered, .cancelled: try await press(.delivered)
        }
    }

    /// Says a status until it, or what comes after it, is so.
    package func press(_ status: StatusCode) async throws {
        let caller = Caller(stack: stack, token: stack.tokens.store)
        do {
            try await caller.exchange(
                .POST, .orders, "/v1/deliveries/\(id)/status", try WireJSON.encode(StatusBody(status: status)))
        } catch let refused as Caller.Refused where refused.status == 409 {
            // A fix that said so was faster, or an attempt whose answer was lost.
            let now: DeliveryBody = try await caller.get(.orders, "/v1/deliveries/\(id)")
            guard now.status.rank >= status.rank else { throw refused }
        }
        progress.note(status)
    }

    package func assign() async throws {
        guard let courierID = CourierID(rawValue: courier) else { preconditionFailure("a courier's id") }
        let body = AssignBody(
            courier: .described(CourierBody(id: courierID, name: courier.capitalized, vehicle: .bicycle, phone: nil)))
        try await Caller(stack: stack, token: stack.tokens.store).exchange(
            .PUT, .orders, "/v1/deliveries/\(id)/courier", try WireJSON.encode(body))
    }

    /// Sends each fix when its time has come, and what an outage held up with the next.
    package func sendFixes(from start: Date) async throws {
        let caller = Caller(stack: stack, token: try await stack.tokens.courier(courier))
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
            let _: FixesAnswer = try await caller.send(.POST, .courierETA, "/v1/fixes", FixesBody(fixes: fixes))
            rest = rest.dropFirst(due.count)
        }
    }

    private func pause(_ seconds: Double) async throws {
        try await stack.clock.sleep(until: stack.clock.now.addingTimeInterval(seconds))
    }
}
