import Foundation
import LiveActivity

/// The newest push of a card, as its device's stream stores it.
struct DeviceEvent: Hashable, Sendable {
    let id: Int
    /// The id of the card's start.
    let startID: Int
    let isEnd: Bool
    let data: String
    /// The state as a start event.
    let startData: String
    /// Whether its card has left the screen.
    let isDismissed: Bool

    /// The id of the next event of a device's stream.
    ///
    /// It rises by one at least, and is not lower than the wall clock in milliseconds: ids issued after a backup are
    /// lower than those that follow its restore, so a device that has one of them misses no event.
    /// - Parameter wall: wall time.
    static func nextID(after last: Int, at wall: Date) -> Int {
        max(last + 1, Int((wall.timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// The event for a reader whose customer is another than the card's.
    ///
    /// - Parameter lastID: the last id that the reader received for the former customer.
    /// - Returns: an immediate end without content; nil where the reader never received the card, or the end has not
    ///   come.
    func forNextCustomer(receivedUpTo lastID: Int) throws -> DeviceEvent? {
        guard isEnd, startID <= lastID else { return nil }
        let body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(data.utf8))
        let end = try DeviceEventBody(
            card: body.card, activity: body.activity, delivery: body.delivery, payload: body.payload.silencedEnd
        ).text()
        return DeviceEvent(
            id: id, startID: startID, isEnd: true, data: end, startData: end, isDismissed: isDismissed)
    }

    /// The events for a reader that has received everything up to an id, in the order of ids.
    ///
    /// A card whose start the reader has not received comes as a start under the id that its start had, then under its
    /// newest id, so that the connection may break between any two events. A dismissed card is not started again, and has
    /// no event but its end.
    static func sent(_ events: [DeviceEvent], after id: Int) -> [(id: Int, data: String)] {
        events.flatMap { event -> [(id: Int, data: String)] in
            let isStarted = id >= event.startID
            if event.isDismissed, !isStarted || !event.isEnd { return [] }
            if isStarted { return event.id > id ? [(event.id, event.data)] : [] }
            if event.id == event.startID { return [(event.id, event.data)] }
            return [(event.startID, event.startData), (event.id, event.data)]
        }
        .sorted { $0.id < $1.id }
    }
}
