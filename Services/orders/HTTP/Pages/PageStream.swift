import DomainTime
import Foundation
import HTTPTypes
import Hummingbird
import InterfaceTexts
import LiveActivity
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import WireCoding

/// The events of an open page: `card`, `order`, `press` and `map`, each as HTML and only where it has changed,
/// `unavailable` when the database is unreadable and `available` when it is readable again, `heartbeat`, without which
/// a page reconnects after a while, and as the last `over`, or `replaced` where it yielded to another page.
///
/// A card's id is its revision: a page that reconnects receives no card older than its own. While its delivery is the
/// same, a map gets the courier's places from memory (``nextUpdate()``).
struct PageStream: ServerSentEventSource {
    static let heartbeat = ServerSentEvent(event: "heartbeat", data: "")

    /// The answer to a page with an expired link.
    static var over: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "event: over\ndata: \n\n")))
    }

    /// The revision of a card, across the episodes of its delivery.
    struct CardRevision: Hashable, Comparable, Sendable {
        let episode: Int
        let isEnd: Bool
        let revision: Revision

        init(_ card: PageCard, episode: Int) {
            self.episode = episode
            isEnd = card.step.isEnd
            revision = card.step.content.revision
        }

        /// - Parameter text: as ``text`` wrote it.
        init?(_ text: String) {
            let parts = text.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 4 else { return nil }
            (episode, isEnd) = (parts[0], parts[1] == 1)
            revision = Revision(version: parts[2], step: parts[3])
        }

        var text: String { "\(episode).\(isEnd ? 1 : 0).\(revision.version).\(revision.step)" }

        static func < (one: CardRevision, other: CardRevision) -> Bool {
            (one.episode, one.isEnd ? 1 : 0, one.revision) < (other.episode, other.isEnd ? 1 : 0, other.revision)
        }
    }

    /// The pause before the next read after a database outage.
    private static let pauseAfterOutage = Duration.seconds(3)

    private let token: String
    private let proof: @Sendable (OrderID) -> String?
    private let words: Words
    private let show: ShowPage
    let slot: StreamSlot
    /// The newest that was sent.
    private var lastRevision: CardRevision?
    private var card = ""
    private var order = ""
    /// The sent outcome of the link's own verb; nil before the first one, and for a link that only shows.
    private var outcome: String?
    /// The map at the last read; nil while it shows no courier.
    private var map: PageMap?
    /// The sent map; nil where the page has none.
    private var mapHTML: String?
    /// Whether the page may have a map of before its stream was open, and is given the present one, or none: it was read
    /// earlier, and the delivery may have ended since.
    private var mayHaveMap: Bool
    private var isAvailable = true
    private var isOver = false

    /// - Parameters:
    ///   - proof: the browser's proof of an order, from ``ProveOrder``.
    ///   - lastRevision: the newest revision that it received before it lost a connection.
    init(
        token: String, proof: @escaping @Sendable (OrderID) -> String?, words: Words, show: ShowPage,
        slot: StreamSlot, lastRevision: CardRevision? = nil
    ) {
        self.token = token
        self.proof = proof
        self.words = words
        self.show = show
        self.slot = slot
        self.lastRevision = lastRevision
        mayHaveMap = lastRevision != nil || show.maps.visibility.isUsed
    }

    mutating func next() async throws -> [ServerSentEvent]? {
        if isOver { return nil }
        let clock = show.pressLink.clock
        let state: ShowPage.State
        do {
            state = try await show(token, proof: proof)
        } catch is PressLink.Refusal {
            isOver = true
            // Polls the source once more, which ends the stream.
            slot.signal.notify()
            return [ServerSentEvent(event: "over", data: "")]
        } catch let error as PostgresError where error.isOutage {
            slot.notify(in: Self.pauseAfterOutage)
            defer { isAvailable = false }
            return isAvailable ? [ServerSentEvent(event: "unavailable", data: "")] : []
        }
        let now = clock.now.epochSeconds
        let page = DeliveryPage(state: state, signer: show.pressLink.signer, words: words, now: now)
        var events: [ServerSentEvent] = []
        let (card, order) = (page.cardHTML, page.orderHTML)
        let revision = CardRevision(state.card, episode: state.delivery.episode)
        if card != self.card, lastRevision.map({ revision >= $0 }) ?? true {
            events.append(ServerSentEvent(id: revision.text, event: "card", data: card))
            (self.card, lastRevision) = (card, revision)
        }
        if order != self.order { events.append(ServerSentEvent(event: "order", data: order)) }
        self.order = order
        // An empty one too: the page may have an outcome of before its stream was open.
        if let outcome = page.outcomeHTML, outcome != self.outcome {
            events.append(ServerSentEvent(event: "press", data: outcome))
            self.outcome = outcome
        }
        map = state.map
        if state.hasMap || mapHTML != nil || mayHaveMap { events += mapEvents() }
        mayHaveMap = false
        // After the missed events.
        if !isAvailable { events.append(ServerSentEvent(event: "available", data: "")) }
        isAvailable = true
        let changesAt = [state.card.changesAt(after: now), state.endsAt].compactMap(\.self).min()
        slot.notify(in: changesAt.map { clock.wallDuration(until: Date(timeIntervalSince1970: TimeInterval($0))) })
        return events
    }

    mutating func nextUpdate() -> [ServerSentEvent] { map == nil || isOver ? [] : mapEvents() }

    /// The map, where it is another than the page has.
    private mutating func mapEvents() -> [ServerSentEvent] {
        let html = map.map { MapPanel(map: $0, place: show.maps.place(on: $0), texts: words.texts).html } ?? ""
        guard html != mapHTML else { return [] }
        mapHTML = html
        return [ServerSentEvent(event: "map", data: html)]
    }
}
