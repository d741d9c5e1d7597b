import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PostgresClient
import ServiceRuntime

/// A device's events after an id, and then each as it is committed.
///
/// What this process committed comes from memory; anything else is a page of the table. A card's event is only ever its newest; a
/// reader that has never received the card gets that state as a start first, under the id of the start.
/// A page is bounded by the device's cards: their events are deleted a day after their dismissal.
/// A card of another customer, who had the device before, is never shown: a reader that was sent its start is sent an
/// end without content.
/// It ends when the device is no longer the customer's, and when the device has opened another.
struct DeviceStream: ServerSentEventSource {
    let device: DeviceID
    let customer: CustomerID
    /// The store that the reader's token is restricted to.
    var store: StoreID?
    /// Up to where the reader received it before.
    let lastEventID: Int
    let pool: PostgresPool
    let slot: StreamHub.StreamSlot
    /// Domain time.
    let now: @Sendable () -> Date
    /// Up to where it was read; nil before the first page.
    private var readUpTo: Int?

    init(
        device: DeviceID, customer: CustomerID, store: StoreID? = nil, lastEventID: Int, pool: PostgresPool,
        slot: StreamHub.StreamSlot, now: @escaping @Sendable () -> Date
    ) {
        self.device = device
        self.customer = customer
        self.store = store
        self.lastEventID = lastEventID
        self.pool = pool
        self.slot = slot
        self.now = now
    }

    /// The events that were committed since the last call.
    mutating func next() async throws -> [ServerSentEvent]? {
        if let readUpTo, let batch = slot.mailbox.take(after: readUpTo) {
            self.readUpTo = batch.lastEventID
            return batch.events
        }
        guard let page = try await page(after: readUpTo ?? lastEventID) else { return nil }
        readUpTo = page.lastEventID
        return page.events
    }

    struct Page: Sendable {
        let events: [ServerSentEvent]
        let lastEventID: Int
    }

    /// - Returns: nil when the device is no longer the customer's.
    func page(after id: Int) async throws -> Page? {
        let stored = try await DeviceEventRepository.events(
            of: device, for: customer, within: store, after: id, now: now(), on: pool)
        guard let stored else { return nil }
        let lastEventID = stored.map(\.event.id).reduce(id, Swift.max)
        // What this connection is sent is the customer's own, so only what it resumes can hold another's start.
        let events = try stored.compactMap {
            $0.isOwn ? $0.event : try $0.event.forNextCustomer(receivedUpTo: self.lastEventID)
        }
        return Page(events: DeviceStream.events(events, after: id), lastEventID: lastEventID)
    }

    /// The id of the next event of a device's stream.
    ///
    /// It rises by one at least, and is not lower than the wall clock: ids that were given out after a backup was taken
    /// are lower than those that follow its restore, so a device that has one of them misses nothing.
    /// - Parameter wall: wall time.
    static func nextEventID(after last: Int, at wall: Date) -> Int {
        Swift.max(last + 1, Int((wall.timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// The newest push of a card, as the device's stream stores it.
    struct CardEvent: Hashable, Sendable {
        let id: Int
        /// The id of the card's start.
        let startID: Int
        let isEnd: Bool
        let data: String
        /// The same state as a start.
        let startData: String
        let isDismissed: Bool

        /// What a reader is sent of it whose customer is another than the card's.
        ///
        /// - Parameter lastID: up to where the reader was sent what the former customer saw.
        /// - Returns: an immediate end without content, or nothing where the reader was never sent the card, or where
        ///   its end is still to come.
        func forNextCustomer(receivedUpTo lastID: Int) throws -> CardEvent? {
            guard isEnd, startID <= lastID else { return nil }
            let body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(data.utf8))
            let end = try DeviceEventBody(
                card: body.card, activity: body.activity, delivery: body.delivery, payload: body.payload.silencedEnd
            ).text()
            return CardEvent(
                id: id, startID: startID, isEnd: true, data: end, startData: end, isDismissed: isDismissed)
        }
    }

    /// What a reader is sent who has received everything up to an id, in the order of ids.
    ///
    /// A card whose start the reader has not received comes as a start under the id that its start had, then under its
    /// newest id, so that the connection may break between any two events. A dismissed card is not started again.
    static func events(_ events: [CardEvent], after id: Int) -> [ServerSentEvent] {
        events.flatMap { event -> [(id: Int, data: String)] in
            if id >= event.startID { return event.id > id ? [(event.id, event.data)] : [] }
            if event.isEnd, event.isDismissed { return [] }
            if event.id == event.startID { return [(event.id, event.data)] }
            return [(event.startID, event.startData), (event.id, event.data)]
        }
        .sorted { $0.id < $1.id }
        .map { ServerSentEvent(push: $0.data, id: $0.id) }
    }
}

extension ServerSentEvent {
    /// A push as the stream carries it.
    init(push data: String, id: Int) { self.init(id: String(id), event: "push", data: data) }
}
