import Crypto
import DoorstepAPI
import Foundation
import Logging
import Messages
import OrderDomain
import TextCoding

/// Starts or stops notifications about the delivery in the browser of a reader who gave the order's number.
///
/// The link alone is not enough: it is forwarded, and a subscriber names a server to which messages are sent.
struct SetAlerts: Sendable {
    let show: ShowPage
    let subscriber: AlertSubscriber
    let logger: Logger

    enum Refusal: Error, Hashable, Sendable {
        case notProven
        /// `activity-dispatch` does not do it.
        case refused(AlertSubscriptionAnswer.Refusal)
        /// `activity-dispatch` does not answer.
        case unavailable
    }

    /// - Parameters:
    ///   - proof: the browser's proof of an order; nil for none.
    ///   - locale: the language of the delivery's notifications.
    /// - Throws: ``Refusal``, or `PressLink.Refusal`.
    func callAsFunction(
        _ body: AlertSubscriptionBody, by token: String, proof: @Sendable (OrderID) -> String?,
        locale: (ShowPage.State) -> String
    ) async throws {
        let state = try await show(token, proof: proof)
        guard state.isProven else { throw Refusal.notProven }
        let wish = AlertSubscriptionRequest(
            delivery: state.delivery.id, endpoint: body.endpoint,
            keys: body.keys.map { .init(p256dh: $0.p256dh, auth: $0.auth) }, locale: locale(state),
            proof: proof(state.delivery.order).map(Self.name))
        let refusal: AlertSubscriptionAnswer.Refusal?
        do {
            refusal = try await subscriber(wish)
        } catch {
            logger.warning(
                "activity-dispatch does not answer whether a browser is notified",
                metadata: ["delivery_id": "\(state.delivery.id)", "reason": "\(error)"])
            throw Refusal.unavailable
        }
        if let refusal { throw Refusal.refused(refusal) }
    }

    /// Distinguishes proofs without revealing them: `activity-dispatch` does not need the proofs.
    private static func name(of proof: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(proof.utf8)).prefix(8))
    }
}
