import Foundation
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime

/// A device's events after an id, and then each as it is committed.
///
/// This process's own commits come from memory; other events are a page of the table. A card has only its newest event:
/// a reader that has never received the card gets that state as a start first, under the id of the start.
/// A page is bounded by the device's cards: their events are deleted a day after their dismissal.
/// A card of the device's former customer is never shown: a reader that received its start receives an end without
/// content.
/// The stream ends when the device no longer belongs to the customer, and when the device has opened another.
struct DeviceStream: ServerSentEventSource {
    let device: DeviceID
    let customer: CustomerID
    /// The store that the reader's token is restricted to.
    var store: StoreID?
    /// Up to where the reader received it before.
    let lastEventID: Int
    let pool: PostgresPool
    let slot: DeviceSlot
    /// Opens customers' PINs; nil where cards have none.
    let pins: PINBox?
    /// Domain time.
    let now: @Sendable () -> Date
    /// Up to where it was read; nil before the first page.
    private var readUpTo: Int?

    init(
        device: DeviceID, customer: CustomerID, store: StoreID? = nil, lastEventID: Int, pool: PostgresPool,
        slot: DeviceSlot, pins: PINBox? = nil, now: @escaping @Sendable () -> Date
    ) {
        self.device = device
        self.customer = customer
        self.store = store
        self.lastEventID = lastEventID
        self.pool = pool
        self.slot = slot
        self.pins = pins
        self.now = now
    }

    /// The events that were committed since the last call.
    mutating func next() async throws -> [ServerSentEvent]? {
        if let events = nextInMemory() { return events }
        guard let page = try await page(after: readUpTo ?? lastEventID) else { return nil }
        readUpTo = page.lastEventID
        return page.events.map { $0.withPIN(openedBy: pins) }
    }

    mutating func nextInMemory() -> [ServerSentEvent]? {
        guard let readUpTo, let batch = slot.mailbox.take(after: readUpTo) else { return nil }
        self.readUpTo = batch.lastEventID
        return batch.events.map { $0.withPIN(openedBy: pins) }
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
        // New events are the customer's own, so only resumed events can contain another customer's start.
        let events = try stored.compactMap {
            $0.isOwn ? $0.event : try $0.event.forNextCustomer(receivedUpTo: self.lastEventID)
        }
        return Page(
            events: DeviceEvent.sent(events, after: id).map { ServerSentEvent(push: $0.data, id: $0.id) },
            lastEventID: lastEventID)
    }
}

extension ServerSentEvent {
    /// A push as the stream carries it.
    init(push data: String, id: Int) { self.init(id: String(id), event: "push", data: data) }

    /// The event with the PIN as the customer reads it, which no table has.
    fileprivate func withPIN(openedBy pins: PINBox?) -> ServerSentEvent {
        ServerSentEvent(id: id, event: event, data: DeviceEvent.data(data, openedBy: pins))
    }
}
