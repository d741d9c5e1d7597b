import DeliveryProviders
import Metrics
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Metrics of webhooks", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct WebhookMetricsTests {
    @Test("Every outcome of attempts and of each provider's events is exported with 0 from the start")
    func fromZero() async throws {
        try await PartnersUnderTest.run { partners, _ in
            _ = withMetricsFactory(partners.metrics) { partners.replica() }
            let exposed = partners.metrics.exposition()
            for outcome in ["delivered", "failed", "throttled", "gone"] {
                #expect(exposed.contains("doorstep_webhook_attempts_total{outcome=\"\(outcome)\"} 0\n"))
            }
            for provider in DeliveryProvider.allCases.map(\.rawValue) {
                for outcome in ["applied", "waiting", "quarantined", "unreadable", "repeat"] {
                    let labels = "{outcome=\"\(outcome)\",provider=\"\(provider)\"}"
                    #expect(exposed.contains("doorstep_provider_events_total\(labels) 0\n"))
                }
            }
        }
    }
}
