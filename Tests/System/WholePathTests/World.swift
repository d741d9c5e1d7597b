import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import ReliableMessaging
import SeededRandom
import WireCoding

/// The whole path in one process, from a change to a screen, under random faults.
///
/// Each step is one transaction or one delivery, so a crash between any two steps is a step that never runs: what
/// was committed stays, what was not is redone or lost, as in production.
struct World {
    /// Drawn from the seed alone.
    var random: SeededGenerator
    var now = Date(timeIntervalSince1970: 1_795_262_400)
    var orders: OrdersSide
    var courier = CourierSide()
    var dispatch: DispatchSide
    /// Published and not yet acknowledged by a consumer, in no order; each may be there more than once.
    var broker: [OutboxMessage] = []
    var screen = Screen()
    private let ids: [DeliveryID]

    init(seed: UInt64, deliveries: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let start = now
        let samples = try (0..<deliveries).map { _ in
            try Delivery.sample(DeliveryID(generator.uuid()), placedAt: start)
        }
        random = generator
        orders = try OrdersSide()
        ids = samples.map(\.id)
        dispatch = DispatchSide(customer: samples[0].customer, now: start)
        for sample in samples { try orders.place(sample, at: now) }
    }

    // MARK: Steps

    mutating func step() throws {
        now += Double.random(in: 0...3, using: &random)
        if random.once(in: 30) { now += Double.random(in: 0...600, using: &random) }
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<3: try change()
        case 3: if let id = ids.randomElement(using: &random) { try estimate(id) }
        case 4: try orders.fireTimers(at: now)
        case 5..<8: relay()
        case 8..<12: try consume()
        case 12..<14: try reconcile()
        case 14: try screen.read(dispatch, at: now, upTo: Int.random(in: 1...3, using: &random))
        default: loseMessages()
        }
    }

    private mutating func change() throws {
        guard let id = ids.randomElement(using: &random) else { return }
        let codes: [StatusCode] = [
            .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered, .attempted, .returning,
            .returned, .cancelled,
        ]
        let change: DeliveryChange
        switch Int.random(in: 0..<12, using: &random) {
        case 0: change = .hold(reason: "road closed")
        case 1: change = .release
        case 2: change = .courier(.mira)
        default:
            // Mostly the next status, so that many runs reach an end.
            let next = orders.deliveries[id]?.status.allowed.filter { $0 != .cancelled && $0 != .failed } ?? []
            let code = random.once(in: 8) ? codes.randomElement(using: &random) : next.randomElement(using: &random)
            change = .status(code ?? .cancelled, reason: nil)
        }
        try orders.change(id, change, at: now)
    }

    private mutating func estimate(_ id: DeliveryID) throws {
        try courier.estimate(id, seconds: Double.random(in: 60...1500, using: &random), at: now)
    }

    /// A relay leases rows, publishes them and deletes them, or dies in between: then they are published again.
    private mutating func relay() {
        func pass(_ outbox: inout [OutboxMessage]) {
            for row in outbox where random.once(in: 2) {
                broker.append(row)
                let isKilledBeforeDeleting = random.once(in: 6)
                if !isKilledBeforeDeleting { outbox.removeAll { $0.id == row.id } }
            }
        }
        pass(&orders.outbox)
        pass(&courier.outbox)
    }

    /// A consumer handles any message, and acknowledges it unless it dies first.
    private mutating func consume() throws {
        guard let index = broker.indices.randomElement(using: &random) else { return }
        try apply(broker[index])
        let isKilledBeforeAcknowledging = random.once(in: 6)
        if !isKilledBeforeAcknowledging { broker.remove(at: index) }
    }

    private mutating func apply(_ message: OutboxMessage) throws {
        let payload = Data(message.payload)
        if message.subject.hasPrefix("orders.") {
            try courier.apply(try WireJSON.decode(DeliveryChanged.self, from: payload), at: now)
        } else if message.subject.hasPrefix("activities.") {
            let intent = try WireJSON.decode(Intent.self, from: payload)
            var generator = random
            dispatch.apply(intent, at: now) { generator.uuid() }
            random = generator
        }
    }

    /// The broker loses a message, or its whole store.
    private mutating func loseMessages() {
        if random.once(in: 8) {
            broker = []
        } else if let index = broker.indices.randomElement(using: &random) {
            broker.remove(at: index)
        }
    }

    private mutating func reconcile() throws {
        var generator = random
        try dispatch.reconcile(at: now) { generator.uuid() }
        random = generator
    }

    // MARK: Recovery

    /// Ends the faults: timers fire, one resync republishes everything, delivered in any order, sent and read.
    mutating func recover() throws {
        now += Self.lateIntentSeconds
        try orders.fireTimers(at: now)
        for isResync in [true, false] {
            if isResync {
                try orders.republish(at: now)
                try courier.republish(at: now)
            }
            broker += orders.outbox + courier.outbox
            orders.outbox = []
            courier.outbox = []
            while let index = broker.indices.randomElement(using: &random) { try apply(broker.remove(at: index)) }
            broker += courier.outbox
            courier.outbox = []
            while let message = broker.popLast() { try apply(message) }
            // Throttles run out within seconds.
            for _ in 0..<6 {
                now += 2
                try reconcile()
            }
        }
        try screen.read(dispatch, at: now, upTo: .max)
    }

    /// Domain seconds after which `orders` writes what `courier-eta` should have.
    private static let lateIntentSeconds: TimeInterval = 11
}

extension SeededGenerator {
    mutating func uuid() -> UUID {
        let (high, low) = (next(), next())
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
