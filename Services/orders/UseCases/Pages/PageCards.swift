import FlowControl
import Messages
import OrderDomain
import ServiceRuntime
import Synchronization

/// The wanted cards of pages.
///
/// A page shows the state that phones receive: this process asks `activity-dispatch` when the first page of a delivery
/// opens, and follows the intents of its customer from then on (`PageIntents`). An intent may be lost, so the process
/// periodically asks again about all open deliveries (`PageComparison`). It stores nothing for a page.
final class PageCards: Sendable {
    /// Whether `activity-dispatch` answers: where it does not, pages mark outdated content.
    private struct Answering {
        /// Open from an unanswered question to the next answer; in its pause no page waits for an answer.
        private(set) var breaker = CircuitBreaker<ContinuousClock.Instant>(
            failuresMax: 1, pauses: BackOff(every: .seconds(2)))
        /// The number of changes of that state, and its value at the last wake-up of all pages.
        private(set) var changes = 0
        var changesShown = 0

        var isAnswered: Bool { breaker.until == nil }

        mutating func note(isAnswered: Bool) {
            let isChange = isAnswered ? breaker.close() : breaker.recordFailure(at: .now)
            if isChange { changes += 1 }
        }
    }

    private let pages: OpenPages
    private let client: WantedCardsClient
    private let answering = Mutex(Answering())

    init(pages: OpenPages, client: WantedCardsClient) {
        self.pages = pages
        self.client = client
    }

    /// A delivery's wanted card: from the cache while a page of it is open, else from a request.
    ///
    /// - Returns: no card where there is none yet, and whether `activity-dispatch` answered the last request.
    func card(of delivery: DeliveryID) async -> (card: WantedCards.Card?, isFollowed: Bool) {
        if let known = pages.followed.card(of: delivery) { return (known, isAnswered) }
        guard answering.withLock({ $0.breaker.admits(at: .now) }) else { return (nil, false) }
        guard let card = await ask({ try await client.card(of: delivery) }) else { return (nil, isAnswered) }
        // A card that arrived meanwhile may be newer.
        return (pages.followed.keep(card) ? card : pages.followed.card(of: delivery) ?? card, true)
    }

    /// The VAPID public key for browsers' subscriptions; nil where notifications are off.
    var alertKey: String? { client.alertKey }

    /// Wakes a delivery's pages with the wanted state of its card, unless the known one is as new.
    func update(_ card: WantedCards.Card) {
        if pages.followed.keep(card) { pages.streams.notify(card.delivery) }
    }

    // MARK: Questions

    private var isAnswered: Bool { answering.withLock(\.isAnswered) }

    private func ask<Answer>(_ question: () async throws -> Answer?) async -> Answer? {
        do {
            let answer = try await question()
            answering.withLock { $0.note(isAnswered: true) }
            return answer
        } catch {
            // A reader who closes a page cancels the request, which proves nothing about `activity-dispatch`.
            if !Task.isCancelled { answering.withLock { $0.note(isAnswered: false) } }
            return nil
        }
    }

    /// Asks about a customer's open deliveries: their cached cards may predate the subscription to their intents.
    ///
    /// It wakes their pages where `activity-dispatch` answers again, since they mark outdated content.
    func askAgain(of customer: CustomerID) async {
        for delivery in pages.streams.topics(of: customer) {
            guard let card = await ask({ try await client.card(of: delivery) }) else { continue }
            update(card)
            if unshownChange != nil { pages.streams.notify(delivery) }
        }
    }

    /// Asks about several deliveries in one question, `WantedCardsQuestion.deliveriesMax` at most.
    ///
    /// - Returns: whether `activity-dispatch` answers.
    func ask(about deliveries: [DeliveryID]) async -> Bool {
        guard let cards = await ask({ try await client.cards(of: deliveries) }) else { return false }
        for card in cards { update(card) }
        return true
    }

    /// The number of the last change of whether `activity-dispatch` answers; nil where all pages were woken for it.
    var unshownChange: Int? { answering.withLock { $0.changes == $0.changesShown ? nil : $0.changes } }

    /// Notes that all pages were woken for a change.
    func noteShown(_ change: Int) { answering.withLock { $0.changesShown = change } }
}
