import Foundation
import Messages
import OrderDomain
import Synchronization
import WireCoding

@testable import Orders

/// Answers in place of `activity-dispatch`.
final class WantedCardsByTest: Sendable {
    private let cards = Mutex<[DeliveryID: WantedCards.Card]?>([:])
    /// What browsers subscribe with.
    static let alertKey = "BPvapid-key"
    private let subscriptions = Mutex<[AlertSubscriptionRequest]>([])
    private let refusal = Mutex<AlertSubscriptionAnswer.Refusal?>(nil)

    /// - Parameter card: nil has none be wanted.
    func set(_ card: WantedCards.Card?, of delivery: DeliveryID) {
        cards.withLock { cards in
            var known = cards ?? [:]
            known[delivery] = card
            cards = known
        }
    }

    /// Answers nothing any more.
    func goAway() { cards.withLock { $0 = nil } }

    var client: WantedCardsClient {
        WantedCardsClient { payload, _ in
            let question = try WireJSON.decode(WantedCardsQuestion.self, from: .init(payload))
            guard let cards = self.cards.withLock(\.self) else { throw IsAway() }
            return try [UInt8](
                WireJSON.encode(WantedCards(question.deliveries.compactMap { cards[$0] }, alertKey: Self.alertKey)))
        }
    }

    /// What was asked for, the last at the end.
    var asked: [AlertSubscriptionRequest] { subscriptions.withLock(\.self) }

    /// Refuses what is asked for from now on.
    func refuse(_ refusal: AlertSubscriptionAnswer.Refusal?) { self.refusal.withLock { $0 = refusal } }

    var alertSubscriber: AlertSubscriber {
        AlertSubscriber { payload, _ in
            let wish = try WireJSON.decode(AlertSubscriptionRequest.self, from: .init(payload))
            if self.cards.withLock({ $0 == nil }) { throw IsAway() }
            self.subscriptions.withLock { $0.append(wish) }
            return try [UInt8](
                WireJSON.encode(AlertSubscriptionAnswer(refusal: self.refusal.withLock(\.self))))
        }
    }

    private struct IsAway: Error {}
}
