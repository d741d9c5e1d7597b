import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// What deliveries' cards should show now, for pages: the very states that phones are pushed.
struct ShowWantedCards: Sendable {
    let pool: PostgresPool
    /// What browsers subscribe to alerts with, base64url; nil where they are not notified.
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
                delivery: delivery, activity: stored.activity.id, step: stored.activity.wanted,
                at: stored.wantedAt.epochSeconds)
        }
        return WantedCards(cards, alertKey: alertKey)
    }
}
