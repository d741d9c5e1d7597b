import Foundation
import OrderDomain
import PostgresClient
import ServiceRuntime

/// A leased push with the card that it updates.
typealias LeasedPush = (push: Push, card: Card)

/// The end of a push's lease; after that another push may be sent.
struct Lease {
    /// Wall time, as it is stored with the card.
    let wallUntil: Date
    /// Domain time, at which the device is due again.
    let until: Date
}

/// The result of one reconciliation of a device: the rows of its transaction, and the pushes to send after it.
struct ReconcileResult: Sendable {
    let device: Device
    /// The newest event id of the device's stream.
    let lastEventID: Int
    /// The next events of its stream; nil without any.
    let events: StreamMailbox.Batch?
    /// Whether all of it is of cards that its customer may see.
    let areEventsOwn: Bool
    /// Leased, and to be sent after the commit.
    let pushesToSend: [LeasedPush]
    /// The pushes sent by the commit itself.
    let pushesAccepted: [Push]
    /// The rows to write.
    let writes: ReconcileWrites
    /// Deliveries whose cards' health may have changed.
    let healthChanged: Set<DeliveryID>

    /// A device that no transport of this process reaches: it is not due until something about it changes.
    init(unreachable locked: ReconcileDevices.LockedDevice) {
        let stored = locked.stored
        device = stored.device
        lastEventID = stored.lastEventID
        events = nil
        areEventsOwn = true
        pushesToSend = []
        pushesAccepted = []
        writes = ReconcileWrites(
            cards: locked.missing.map { StoredCard($0.card) },
            devices: [.init(stored: stored, former: stored.device, dueAt: nil)])
        healthChanged = []
    }

    /// - Parameters:
    ///   - stored: the device as it was read.
    ///   - openCards: its cards as they were read; others of the reconciliation are new.
    ///   - isTransactional: whether a push is a write of the same transaction.
    ///   - wallNow: wall time, below which no event id is.
    init(
        _ reconciliation: DeviceReconciliation, of stored: StoredDevice, openCards: [ActivityRepository.OpenCard],
        isTransactional: Bool, lease: Lease, wallNow: Date
    ) throws {
        let changes = CardChanges(
            reconciliation, before: openCards, leasedUntil: isTransactional ? nil : lease.wallUntil)
        let (former, formerEventID) = (stored.device, stored.lastEventID)
        var stored = stored
        stored.device = reconciliation.device
        var writes = ReconcileWrites(cards: changes.changed)
        var events: [ServerSentEvent] = []
        for push in reconciliation.pushes {
            writes.pushes.append(
                .init(
                    push: push, device: stored.device.id, result: isTransactional ? .accepted() : nil,
                    wantedAt: changes.wantedAt[push.card],
                    delay: PushDelay(of: push, waited: changes.formerReasons[push.card])))
            guard isTransactional else { continue }
            let delivery = changes.deliveries[push.card]
            let data = try push.eventText(delivery: delivery)
            stored.lastEventID = DeviceEvent.nextID(after: stored.lastEventID, at: wallNow)
            events.append(ServerSentEvent(push: data, id: stored.lastEventID))
            writes.append(
                DeviceEventRepository.EventRow(
                    push: push, device: stored.device.id, delivery: delivery, id: stored.lastEventID,
                    startID: stored.lastEventID, data: data))
        }
        let dueAt = [reconciliation.dueAt, changes.hasLeased ? lease.until : nil].compactMap(\.self).min()
        writes.devices = [.init(stored: stored, former: former, dueAt: dueAt)]

        device = stored.device
        lastEventID = stored.lastEventID
        self.events =
            events.isEmpty
            ? nil : StreamMailbox.Batch(after: formerEventID, lastEventID: stored.lastEventID, events: events)
        let own = Set(reconciliation.cards.filter { stored.device.mayShow($0.activity) }.map(\.card.id))
        areEventsOwn = reconciliation.pushes.allSatisfy { own.contains($0.card) }
        let cards = Dictionary(uniqueKeysWithValues: reconciliation.cards.map { ($0.card.id, $0.card) })
        pushesToSend =
            isTransactional ? [] : reconciliation.pushes.compactMap { push in cards[push.card].map { (push, $0) } }
        pushesAccepted = isTransactional ? reconciliation.pushes : []
        self.writes = writes
        healthChanged = changes.healthChanged
    }
}

/// The rows that reconciliations write.
struct ReconcileWrites: Sendable {
    var cards: [StoredCard] = []
    var pushes: [ActivityRepository.LeasedRow] = []
    private(set) var events: [DeviceEventRepository.EventRow] = []
    var devices: [ActivityRepository.ReconciledDevice] = []

    /// Adds a card's newest event, which replaces an unwritten one: a statement writes a row once.
    mutating func append(_ event: DeviceEventRepository.EventRow) {
        var event = event
        if let former = events.firstIndex(where: { $0.push.card == event.push.card && $0.device == event.device }) {
            event.startID = events.remove(at: former).startID
        }
        events.append(event)
    }

    /// Joins the writes of several devices, in as many statements as one device needs.
    static func joining(_ all: [ReconcileWrites]) -> ReconcileWrites {
        var joined = ReconcileWrites()
        for one in all {
            joined.cards += one.cards
            joined.pushes += one.pushes
            joined.events += one.events
            joined.devices += one.devices
        }
        return joined
    }

    /// The statements in the order of the rows' references.
    func statements() throws -> [SQL] {
        try ActivityRepository.save(cards) + ActivityRepository.insert(pushes) + DeviceEventRepository.upsert(events)
            + ActivityRepository.save(devices)
    }
}

/// A device's cards after a reconciliation, compared with how they were read.
private struct CardChanges {
    /// Cards that are to be written.
    private(set) var changed: [StoredCard] = []
    private(set) var healthChanged: Set<DeliveryID> = []
    /// Whether a push of one of the cards has no result yet.
    private(set) var hasLeased = false
    /// The delivery of each card; a summary's card has none.
    private(set) var deliveries: [UUID: DeliveryID] = [:]
    /// When each card's wanted state became that, or earlier, when the card fell behind: each state that it missed
    /// meanwhile was a later one.
    private(set) var wantedAt: [UUID: Date] = [:]
    /// Why each card that was read had been left without a push.
    private(set) var formerReasons: [UUID: Decision.Reason] = [:]

    /// - Parameter leasedUntil: wall time at which the leases of these pushes expire; nil where they have their result.
    init(_ reconciliation: DeviceReconciliation, before: [ActivityRepository.OpenCard], leasedUntil: Date?) {
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.stored.card.id, $0.stored) })
        let pushed = Set(reconciliation.pushes.map(\.card))
        for one in reconciliation.cards {
            let old = known[one.card.id]
            var new = old ?? StoredCard(one.card)
            new.card = one.card
            let reason = reconciliation.reasons[one.card.id]
            new.reason = reason?.rawValue
            new.behindSince = reason?.isBehind == true ? old?.behindSince ?? reconciliation.now : nil
            if let leasedUntil, pushed.contains(one.card.id) { new.leasedUntil = leasedUntil }
            if reason == .inFlight { hasLeased = true }
            deliveries[one.card.id] = one.activity.delivery
            wantedAt[one.card.id] = [one.activity.wantedAt, old?.behindSince].compactMap(\.self).min()
            formerReasons[one.card.id] = old?.reason.flatMap(Decision.Reason.init(rawValue:))
            if old?.card != new.card || old?.reason != new.reason || old?.behindSince != new.behindSince {
                changed.append(new)
            }
            if Self.isHealthChanged(from: old, to: new), let delivery = one.activity.delivery {
                healthChanged.insert(delivery)
            }
        }
    }

    private static func isHealthChanged(from old: StoredCard?, to new: StoredCard) -> Bool {
        let isBehind = new.behindSince != nil
        return (old?.behindSince != nil) != isBehind || old?.card.state != new.card.state
            || (isBehind && old?.reason != new.reason)
    }
}
