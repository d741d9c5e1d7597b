import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PostgresClient
import ServiceRuntime

/// A device's events after an id, and then each as it comes.
///
/// Reads from the table whenever it is asked and has nothing left. A card's event is only ever its newest; a reader that
/// has never seen the card gets that state as a start first, under the id of the start.
/// What it holds is bounded by the device's cards: their events leave a day after their dismissal.
/// A card of another customer, who had the device before, is never shown: a reader that has been sent its start is told
/// that it is over.
/// It ends when the device is no longer the customer's.
struct DeviceStream: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = any Error

    let device: DeviceID
    let customer: CustomerID
    let lastEventID: Int
    let pool: PostgresPool
    let seat: StreamHub.Seat
    /// Domain time.
    let now: @Sendable () -> Date

    func makeAsyncIterator() -> Iterator {
        Iterator(stream: self, lastEventID: lastEventID, signals: seat.signals.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let stream: DeviceStream
        var lastEventID: Int
        var signals: AsyncStream<Void>.Iterator
        private var events: ArraySlice<ServerSentEvent> = []
        /// Whether everything was read that was there when a signal was last taken: what is newer raises another.
        private var isCaughtUp = false

        init(stream: DeviceStream, lastEventID: Int, signals: AsyncStream<Void>.Iterator) {
            self.stream = stream
            self.lastEventID = lastEventID
            self.signals = signals
        }

        mutating func next() async throws -> ServerSentEvent? {
            while events.isEmpty {
                if isCaughtUp, await signals.next() == nil { return nil }
                guard let page = try await stream.page(after: lastEventID) else { return nil }
                lastEventID = page.lastEventID
                events = page.events[...]
                isCaughtUp = true
            }
            return events.popFirst()
        }
    }

    struct Page: Sendable {
        let events: [ServerSentEvent]
        let lastEventID: Int
    }

    /// - Returns: nil when the device is no longer the customer's.
    func page(after id: Int) async throws -> Page? {
        let results = try await pool.batch([
            "SELECT FROM devices WHERE device_id = \(device) AND customer_id = \(customer)",
            """
            SELECT sequence, start_sequence, is_end, data, start_data, device_events.dismissed_at,
                activities.customer_id = \(customer) AS is_own
            FROM device_events JOIN cards USING (card_id) JOIN activities USING (activity_id)
            WHERE device_events.device_id = \(device) AND sequence > \(id)
            """,
        ])
        guard !results[0].rows.isEmpty else { return nil }
        let now = now()
        var lastEventID = id
        var rows: [Row] = []
        for result in results[1].rows {
            let dismissedAt = try result.decode("dismissed_at", as: Date?.self)
            let row = Row(
                sequence: try result.decode("sequence"), startSequence: try result.decode("start_sequence"),
                isEnd: try result.decode("is_end"), data: try result.decode("data"),
                startData: try result.decode("start_data"), isDismissed: dismissedAt.map { $0 <= now } ?? false)
            lastEventID = Swift.max(lastEventID, row.sequence)
            let isOwn = try result.decode("is_own", as: Bool.self)
            // What this connection is sent is the customer's own, so only what it resumes can hold another's start.
            if let row = isOwn ? row : try row.forNextCustomer(seenUpTo: self.lastEventID) { rows.append(row) }
        }
        return Page(events: DeviceStream.events(rows, after: id), lastEventID: lastEventID)
    }

    /// The newest push of a card, as it is kept.
    struct Row: Hashable, Sendable {
        let sequence: Int
        let startSequence: Int
        let isEnd: Bool
        let data: String
        let startData: String
        let isDismissed: Bool

        /// What a reader gets of it whose customer is another than the card's.
        ///
        /// - Parameter id: up to where the reader was sent what the former customer saw.
        /// - Returns: an end at once without content, or nothing where the reader was never sent the card, or where its
        ///   end is still to come.
        func forNextCustomer(seenUpTo id: Int) throws -> Row? {
            guard isEnd, startSequence <= id else { return nil }
            let body = try JSONDecoder().decode(DeviceEventBody.self, from: Data(data.utf8))
            let silent = try DeviceEventBody(
                card: body.card, activity: body.activity, delivery: body.delivery, payload: body.payload.silencedEnd
            ).text()
            return Row(
                sequence: sequence, startSequence: startSequence, isEnd: true, data: silent, startData: silent,
                isDismissed: isDismissed)
        }
    }

    /// What a reader is sent who has been sent everything up to an id, in the order of ids.
    ///
    /// A card that the reader has not seen start comes as a start under the id that its start had, then under its newest
    /// id, so that the connection may break between any two events. What has left the screen is not brought back.
    static func events(_ rows: [Row], after id: Int) -> [ServerSentEvent] {
        rows.flatMap { row -> [(id: Int, data: String)] in
            if id >= row.startSequence { return row.sequence > id ? [(row.sequence, row.data)] : [] }
            if row.isEnd, row.isDismissed { return [] }
            if row.sequence == row.startSequence { return [(row.sequence, row.data)] }
            return [(row.startSequence, row.startData), (row.sequence, row.data)]
        }
        .sorted { $0.id < $1.id }
        .map { ServerSentEvent(id: String($0.id), event: "push", data: $0.data) }
    }
}
