import DoorstepAPI
import Foundation
import LiveActivity

/// The newest push of a card, as its device's stream stores it.
struct DeviceEvent: Hashable, Sendable {
    let id: Int
    /// The id of the card's start.
    let startID: Int
    let isEnd: Bool
    let data: String
    /// The same state as a start.
    let startData: String
    let isDismissed: Bool

    /// The id of the next event of a device's stream.
    ///
    /// It rises by one at least, and is not lower than the wall clock: ids that were given out after a backup was taken
    /// are lower than those that follow its restore, so a device that has one of them misses nothing.
    /// - Parameter wall: wall time.
    static func nextID(after last: Int, at wall: Date) -> Int {
        max(last + 1, Int((wall.timeIntervalSince1970 * 1_000).rounded(.down)))
    }

    /// What a reader is sent of it whose customer is another than the card's.
    ///
    /// - Parameter lastID: up to where the reader was sent what the former customer saw.
    /// - Returns: an immediate end without content, or nothing where the reader was never sent the card, or where
    ///   its end is still to come.
    func forNextCustomer(receivedUpTo lastID: Int) throws -> DeviceEvent? {
        guard isEnd, startID <= lastID else { return nil }
        let body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(data.utf8))
        let end = try DeviceEventBody(
            card: body.card, activity: body.activity, delivery: body.delivery, payload: body.payload.silencedEnd
        ).text()
        return DeviceEvent(
            id: id, startID: startID, isEnd: true, data: end, startData: end, isDismissed: isDismissed)
    }

    /// What a reader is sent who has received everything up to an id, in the order of ids.
    ///
    /// A card whose start the reader has not received comes as a start under the id that its start had, then under its
    /// newest id, so that the connection may break between any two events. A dismissed card is not started again.
    static func sent(_ events: [DeviceEvent], after id: Int) -> [(id: Int, data: String)] {
        events.flatMap { event -> [(id: Int, data: String)] in
            if id >= event.startID { return event.id > id ? [(event.id, event.data)] : [] }
            if event.isEnd, event.isDismissed { return [] }
            if event.id == event.startID { return [(event.id, event.data)] }
            return [(event.startID, event.startData), (event.id, event.data)]
        }
        .sorted { $0.id < $1.id }
    }
}
