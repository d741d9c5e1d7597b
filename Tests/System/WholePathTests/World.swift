import Foundation
import Messages
import OrderDomain
import ReliableMessaging
import SeededRandom
import WireCoding

/// The whole path in one process, from a change to the screens of a customer's devices, under random faults.
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
    /// One for each device.
    var screens: [Screen]
    private let ids: [DeliveryID]

    /// - Parameter deliveries: from three on the customer has a summary above them.
    init(seed: UInt64, deliveries: Int, devices: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let start = now
        let samples = try (0..<deliveries).map { _ in
            try Delivery.sample(DeliveryID(generator.uuid()), placedAt: start)
        }
        random = generator
        orders = try OrdersSide()
        ids = samples.map(\.id)
        dispatch = DispatchSide(customer: samples[0].customer, devices: devices, now: start)
        screens = Array(repeating: Screen(), count: devices)
        for sample in samples { try orders.place(sample, at: now) }
    }

    /// A customer with one to three devices and two to five deliveries, all drawn from the seed.
    init(seed: UInt64) throws {
        try self.init(seed: seed, deliveries: 2 + Int(seed % 4), devices: 1 + Int(seed / 4 % 3))
    }

    // MARK: Steps

    mutating func step() throws {
        now += Double.random(in: 0...3, using: &random)
        if random.once(in: 30) { now += Double.random(in: 0...600, using: &random) }
        if random.once(in: 80) { try letTimePass(until: now + Double.random(in: 0...9 * 3600, using: &random)) }
        try reconcileNeglected()
        switch Int.random(in: 0..<18, using: &random) {
        case 0..<4: try change()
        case 4: if let id = ids.randomElement(using: &random) { try estimate(id) }
        case 5: try fireTimers()
        case 6..<9: relay()
        case 9..<13: try consume()
        case 13..<15: try reconcile(Int.random(in: screens.indices, using: &random))
        case 15..<17: try read(Int.random(in: screens.indices, using: &random))
        default: loseMessages()
        }
    }

    private mutating func change() throws {
        guard let id = ids.randomElement(using: &random), let delivery = orders.deliveries[id] else { return }
        let codes: [StatusCode] = [
            .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered, .attempted, .returning,
            .returned, .cancelled,
        ]
        if delivery.status.isEnded {
            // An operator reopens it, or corrects how it ended.
            guard random.once(in: 4), let code = codes.randomElement(using: &random) else { return }
            return try orders.change(id, .override(code, reason: "it did not arrive"), at: now)
        }
        let change: DeliveryChange
        switch Int.random(in: 0..<14, using: &random) {
        case 0: change = .hold(reason: "road closed")
        case 1: change = .release
        case 2: change = .courier(.mira)
        case 3: change = try movedPromise(of: delivery)
        case 4: change = try itemChange(of: delivery)
        default:
            // Mostly the next status, so that many runs reach an end.
            let next = delivery.status.allowed.filter { $0 != .cancelled && $0 != .failed }
            let code = random.once(in: 8) ? codes.randomElement(using: &random) : next.randomElement(using: &random)
            change = .status(code ?? .cancelled, reason: nil)
        }
        try orders.change(id, change, at: now)
    }

    /// A promise that begins within four hours: some cards start only when its time comes.
    private mutating func movedPromise(of delivery: Delivery) throws -> DeliveryChange {
        let start = now + Double.random(in: 0...4 * 3600, using: &random)
        return .promise(Promise(start: start, end: start + 3600) ?? delivery.promise)
    }

    private mutating func itemChange(of delivery: Delivery) throws -> DeliveryChange {
        let item = delivery.items[0]
        let oats = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 300)
        if item.status == .substituteProposed {
            return .answer(item.id, proposal: item.proposals, isApproved: Bool.random(using: &random))
        }
        let changes: [ItemChange] = [
            .found(quantity: 1), .outOfStock, .proposed(oats, answerUntil: now + 300), .substituted(oats),
        ]
        return .item(item.id, changes.randomElement(using: &random) ?? .outOfStock)
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
            try withNewIDs { world, newID in world.dispatch.apply(intent, at: world.now, newID: newID) }
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

    private mutating func fireTimers() throws {
        try orders.fireTimers(at: now)
        try withNewIDs { world, newID in world.dispatch.fireTimers(at: world.now, newID: newID) }
    }

    private mutating func reconcile(_ device: Int) throws {
        try withNewIDs { world, newID in try world.dispatch.reconcile(device, at: world.now, newID: newID) }
    }

    /// A device reads some of its stream, or begins anew without a memory.
    private mutating func read(_ device: Int) throws {
        if random.once(in: 20) { screens[device].startAnew() }
        try screens[device].read(dispatch.devices[device], at: now, upTo: Int.random(in: 1...3, using: &random))
    }

    /// Runs a transaction that draws ids from the world's seed.
    private mutating func withNewIDs(_ body: (inout World, () -> UUID) throws -> Void) throws {
        var generator = random
        try body(&self) { generator.uuid() }
        random = generator
    }

    // MARK: Time

    /// Wall seconds that no dispatcher runs at most: a card has half an hour to be replaced in.
    private static let outageMax: TimeInterval = 20 * 60

    private mutating func reconcileNeglected() throws {
        for device in screens.indices
        where now.timeIntervalSince(dispatch.devices[device].reconciledAt) > Self.outageMax {
            try reconcile(device)
        }
    }

    /// Lets hours pass in which nobody but the dispatcher works, and some devices read.
    private mutating func letTimePass(until end: Date) throws {
        let reading = screens.indices.filter { _ in Bool.random(using: &random) }
        while true {
            let dueTimes = dispatch.devices.map { min($0.dueAt ?? .distantFuture, $0.reconciledAt + Self.outageMax) }
            guard let next = dueTimes.min(), next <= end else { break }
            now = max(now, next)
            for device in screens.indices where dueTimes[device] <= now {
                try reconcile(device)
                guard reading.contains(device) else { continue }
                try screens[device].read(dispatch.devices[device], at: now, upTo: .max)
            }
            // What the present second throttles is due in the next.
            now += 1
        }
        now = max(now, end)
    }

    // MARK: Recovery

    /// Ends the faults: timers fire, one resync republishes everything, delivered in any order, sent and read.
    mutating func recover() throws {
        now += Self.lateIntentSeconds
        try fireTimers()
        for isResync in [true, false] {
            if isResync {
                try orders.republish(at: now)
                try courier.republish(at: now)
                dispatch.republish(at: now)
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
                try fireTimers()
                for device in screens.indices { try reconcile(device) }
            }
        }
        for device in screens.indices { try screens[device].read(dispatch.devices[device], at: now, upTo: .max) }
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
