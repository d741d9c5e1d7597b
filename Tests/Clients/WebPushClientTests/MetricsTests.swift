import Metrics
import MetricsTestKit
import ScriptedPeers
import Testing
import WebPushTesting

@testable import WebPushClient

@Suite("What the client counts", .timeLimit(.minutes(10)))
struct MetricsTests {
    private func count(_ metrics: TestMetrics, _ outcome: String, _ cause: String) -> Int64? {
        let labels = [("outcome", outcome), ("cause", cause)]
        return try? metrics.expectCounter("doorstep_web_push_requests_total", labels).totalValue
    }

    @Test(
        "Each result is counted under its outcome and cause",
        arguments: [
            (.delivered, "delivered", "none"), (.gone, "gone", "none"), (.tooLarge, "too_large", "none"),
            (.throttled(retryAfter: .seconds(1)), "throttled", "none"),
            (.refused(status: 400), "refused", "bad_request"),
            (.refused(status: 401), "refused", "authentication"), (.refused(status: 403), "refused", "authentication"),
            (.refused(status: 307), "refused", "redirect"), (.refused(status: 418), "refused", "other_status"),
            (.unavailable(.status(503, retryAfter: nil)), "unavailable", "server_error"),
            (.unavailable(.notConnected("")), "unavailable", "not_connected"),
            (.unavailable(.timedOut), "unavailable", "timed_out"),
            (.unavailable(.connectionLost("")), "unavailable", "connection_lost"),
            (.unavailable(.cancelled), "unavailable", "cancelled"),
            (.unavailable(.tooManyInFlight), "unavailable", "too_many_in_flight"),
            (.unavailable(.shuttingDown), "unavailable", "shutting_down"),
            (.unavailable(.notPrepared("")), "unavailable", "not_prepared"),
        ] as [(WebPushResult, String, String)])
    func labels(result: WebPushResult, outcome: String, cause: String) {
        let metrics = TestMetrics()
        let counters = withMetricsFactory(metrics) { MessageCounters() }
        counters.count(result)
        counters.count(result)
        #expect(count(metrics, outcome, cause) == 2)
    }

    @Test("A client counts its messages, how long they took, and the tokens that it signs")
    func client() async throws {
        let metrics = TestMetrics()
        let service = try await ScriptedHTTPServer.start { $0.value("topic") == "gone" ? .answer(410) : .answer(201) }
        let client = try withMetricsFactory(metrics) { try Fixture.client() }
        _ = try await client.send(to: service)
        _ = try await client.send(to: service)
        let message = try WebPushMessage(plaintext: [], timeToLive: .zero, topic: "gone")
        _ = await client.send(message, to: try SubscribedBrowser().subscription(at: service.endpoint))
        #expect(count(metrics, "delivered", "none") == 2)
        #expect(count(metrics, "gone", "none") == 1)
        #expect(try metrics.expectTimer("doorstep_web_push_request_seconds").values.count == 3)
        #expect(try metrics.expectCounter("doorstep_web_push_tokens_signed_total").totalValue == 1)
    }
}
