import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// The wanted states of deliveries' cards, for pages: the same states that phones receive.
struct ShowWantedCards: Sendable {
    let pool: PostgresPool
    /// The VAPID public key for browsers' subscriptions, base64url; nil where notifications are off.
    let alertKey: String?

    /// - Parameter question: nil where the request was none.
    func callAsFunction(_ question: WantedCardsQuestion?) async throws -> WantedCards {
        guard let question else { return WantedCards([], fault: "it is no question") }
        guard question.deliveries.count <= WantedCardsQuestion.deliveriesMax else {
            return WantedCards([], fault: "it asks for more than \(WantedCardsQuestion.deliveriesMax) deliveries")
        }
        let newest = try await ActivityRepository.newest(of: question.deliveries, on: pool)
        let cards = newest.map { delivery, stored in
            WantedCards.Card(
                delivery: delivery, activity: stored.activity.id, step: stored.activity.wanted.withoutPIN,
                at: stored.wantedAt.epochSeconds)
        }
        return WantedCards(cards, alertKey: alertKey)
    }
}
