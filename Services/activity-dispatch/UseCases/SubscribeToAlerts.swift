import DomainTime
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import WebPushClient

/// Starts or stops a browser's notifications about a delivery; `orders` has authorised the request.
struct SubscribeToAlerts: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let hosts: WebPushHosts
    /// Called when there may be something to send.
    let wakeSender: @Sendable () -> Void

    /// Returns once the requested change is durable.
    ///
    /// - Parameter request: nil for an undecodable request.
    func callAsFunction(_ request: AlertSubscriptionRequest?) async throws -> AlertSubscriptionAnswer {
        guard let request else { return refuse(.malformed, "it is no request") }
        guard let keys = request.keys else {
            // The refusal names the endpoint as the fault; its detail is the same for every invalid endpoint.
            guard let endpoint = try? hosts.endpoint(request.endpoint) else {
                return refuse(.malformed, "the endpoint is of no push service that is allowed")
            }
            try await pool.execute(AlertSubscriptionRepository.turnOff(endpoint, of: request.delivery))
            return AlertSubscriptionAnswer()
        }
        let browser: WebPushSubscription
        do throws(WebPushSubscriptionError) {
            browser = try hosts.subscription(endpoint: request.endpoint, p256dh: keys.p256dh, auth: keys.auth)
        } catch {
            return refuse(.malformed, error.description)
        }
        let newest = try await ActivityRepository.newest(of: [request.delivery], on: pool)
        let wanted = newest[request.delivery]?.activity.wanted
        guard wanted?.isEnd != true else { return refuse(.ended, "the delivery has ended") }
        let subscription = AlertSubscription(
            delivery: request.delivery, browser: browser, locale: request.locale,
            alertedIDs: wanted?.alert.map { [$0.id] } ?? [])
        try await AlertSubscriptionRepository.turnOn(
            subscription, proof: request.proof, at: clock.now, on: pool)
        wakeSender()
        return AlertSubscriptionAnswer()
    }

    private func refuse(
        _ reason: AlertSubscriptionAnswer.Refusal.Reason, _ detail: String
    ) -> AlertSubscriptionAnswer {
        AlertSubscriptionAnswer(refusal: .init(reason, detail))
    }
}
