import Foundation
import Messages
import NatsClient
import OrderDomain
import PostgresClient
import Synchronization

/// Asks `activity-dispatch` for the wanted states of deliveries' cards.
///
/// Concurrent requests share one question: the first is sent at once, and those until its answer in the next.
final class WantedCardsClient: Sendable {
    /// The time-out of the request: the reader who opened the page waits for it.
    private static let timeout = Duration.seconds(1)

    private struct Asked: Sendable {
        let delivery: DeliveryID
        /// Several may ask about the same.
        let number = UUID()
    }

    private let ask: ServiceRequests
    private let key: AlertKey
    private let questions: GroupCommit<Asked, UUID, WantedCards.Card?>

    /// The newest VAPID public key from `activity-dispatch`.
    private final class AlertKey: Sendable {
        let text = Mutex<String?>(nil)
    }

    /// The VAPID public key for browsers' subscriptions; nil where notifications are off, and before the first answer.
    var alertKey: String? { key.text.withLock(\.self) }

    init(request: @escaping ServiceRequests.Send) {
        let ask = ServiceRequests(request)
        self.ask = ask
        let key = AlertKey()
        self.key = key
        questions = GroupCommit(
            .init(transactionsMax: 1, requestsMax: WantedCardsQuestion.deliveriesMax), key: \.number,
            failsTogether: { _ in true }
        ) { asked in
            let cards = try await Self.cards(of: Array(Set(asked.map(\.delivery))), by: ask, key)
            let byDelivery = Dictionary(cards.map { ($0.delivery, $0) }, uniquingKeysWith: { $1 })
            return asked.map { byDelivery[$0.delivery] }
        }
    }

    convenience init(_ nats: NatsClient) {
        self.init { payload, subject in
            guard nats.isConnected else { throw RefusedRequest(description: "there is no connection to the broker") }
            return try await nats.request(payload, to: subject, timeout: Self.timeout).payload
        }
    }

    /// - Returns: nil where there is none.
    /// - Throws: where nothing answers in time.
    func card(of delivery: DeliveryID) async throws -> WantedCards.Card? {
        try await questions(Asked(delivery: delivery))
    }

    /// - Parameter deliveries: `WantedCardsQuestion.deliveriesMax` at most.
    /// - Throws: where nothing answers in time.
    func cards(of deliveries: [DeliveryID]) async throws -> [WantedCards.Card] {
        try await Self.cards(of: deliveries, by: ask, key)
    }

    private static func cards(
        of deliveries: [DeliveryID], by ask: ServiceRequests, _ key: AlertKey
    ) async throws -> [WantedCards.Card] {
        guard !deliveries.isEmpty else { return [] }
        let answer: WantedCards = try await ask(WantedCardsQuestion(deliveries), to: Subject.cardsWanted)
        if let fault = answer.fault { throw RefusedRequest(description: fault) }
        key.text.withLock { $0 = answer.alertKey }
        return answer.cards
    }
}
