import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SeededRandom
import SimulationSupport

/// One delivery from acceptance to its end, with everything that may happen to it on the way, and after its end.
struct Drive: Sendable {
    let delivery: DeliveryID
    let courier: String
    let route: Route
    let shop: Shop
    var random: SeededGenerator

    private static let milk = ItemID(rawValue: "item-1")
    private static let bread = ItemID(rawValue: "item-2")

    mutating func run() async throws {
        try await report(.accepted)
        try await report(.picking)
        var isEnded = try await drive()
        while isEnded, random.once(in: 4) {
            // At once more often than not: then one service may never see the end.
            if random.once(in: 3) { try await pause(0...3) }
            guard try await shop.reopen(delivery, as: .picking) != nil else { return }
            isEnded = try await drive()
        }
    }

    /// From picking to an end.
    private mutating func drive() async throws -> Bool {
        try await change()
        if random.once(in: 6) { return try await report(.cancelled) }
        guard let courier = CourierID(rawValue: courier) else { preconditionFailure("a courier's id") }
        _ = try await shop.assign(courier, to: delivery)
        try await change()
        if random.once(in: 2) { try await report(.atStore) }
        try await report(.staged)
        if random.once(in: 10) { return try await report(.cancelled) }
        try await report(.pickedUp)
        try await ride()
        try await report(.atDoor)
        if random.once(in: 8) {
            try await report(.attempted)
            try await report(.returning)
            return try await report(.returned)
        }
        return try await report(.delivered)
    }

    /// - Returns: whether the delivery has ended.
    @discardableResult
    private mutating func report(_ status: StatusCode) async throws -> Bool {
        let body = try await shop.report(status, of: delivery)
        try await pause(0...2.5)
        return body?.endedAt != nil
    }

    /// Something that happens in the store, or nothing.
    private mutating func change() async throws {
        guard let milk = Self.milk, let bread = Self.bread else { preconditionFailure("the items' ids") }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = try await shop.substitute(milk, of: delivery, isProposed: false)
        case 1: _ = try await shop.substitute(bread, of: delivery, isProposed: true)
        case 2: try await reschedule()
        case 3: try await holdAndRelease()
        default: break
        }
        try await pause(0...1)
    }

    private mutating func holdAndRelease() async throws {
        _ = try await shop.hold(delivery)
        try await pause(0...2)
        _ = try await shop.release(delivery)
    }

    /// Another promise, with odd milliseconds, sent twice: the second time nothing may change.
    private mutating func reschedule() async throws {
        let begin = shop.stack.clock.now.addingTimeInterval(.random(in: 600...2_400, using: &random))
        guard let promise = Promise(start: begin, end: begin.addingTimeInterval(3_600.123)) else { return }
        _ = try await shop.promise(promise, of: delivery)
    }

    /// The way to the door: fixes, and changes between them.
    private mutating func ride() async throws {
        let client = RetryingClient(stack: shop.stack, token: try await shop.stack.tokens.courier(courier))
        let began = shop.stack.clock.now
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            let elapsed = min(shop.stack.clock.now.timeIntervalSince(began), route.seconds)
            guard let point = route.points.last(where: { $0.seconds <= elapsed }) else { break }
            try await send(point.place, from: client)
            if random.once(in: 6) { try await reschedule() }
            if random.once(in: 10) { try await holdAndRelease() }
            try await pause(0.3...1.5)
        }
    }

    /// Sends the position of now until it is taken.
    private func send(_ place: Coordinate, from client: RetryingClient) async throws {
        let milliseconds = Int((shop.stack.clock.now.timeIntervalSince1970 * 1_000).rounded())
        let fix = FixBody.readable(
            .init(
                time: Date(timeIntervalSince1970: Double(milliseconds) / 1_000), latitude: place.latitude,
                longitude: place.longitude, accuracy: 10))
        try await shop.gate.pass {
            let answer: FixesAnswer = try await client.send(.POST, .courierETA, "/v1/fixes", FixesBody(fixes: [fix]))
            // A moment that an earlier attempt recorded is a duplicate; off duty nothing is recorded.
            guard Set(answer.ignored.keys).isSubset(of: ["duplicate", "too_fast"]) else { return }
            await shop.book.fixed(courier, at: [milliseconds])
        }
    }

    private mutating func pause(_ seconds: ClosedRange<Double>) async throws {
        try await Task.sleep(for: .seconds(.random(in: seconds, using: &random)))
    }
}
