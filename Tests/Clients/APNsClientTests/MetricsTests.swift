import Foundation
import Metrics
import MetricsTestKit
import ScriptedPeers
import Testing

@testable import APNsClient

@Suite("What the client counts", .timeLimit(.minutes(10)))
struct MetricsTests {
    private func requests(
        _ metrics: TestMetrics, _ outcome: String, _ cause: String, _ environment: APNsEnvironment = .production
    ) -> Int64? {
        let labels = [("environment", environment.rawValue), ("outcome", outcome), ("cause", cause)]
        return try? metrics.expectCounter("doorstep_apns_requests_total", labels).totalValue
    }

    private func gauge(_ metrics: TestMetrics, _ name: String) throws -> TestRecorder {
        try metrics.expectGauge("doorstep_apns_\(name)", [("environment", "production")])
    }

    @Test(
        "Each result is counted under its outcome and cause",
        arguments: [
            (.accepted(id: UUID()), "accepted", "none"),
            (.refused(APNsRefusal(status: 410, reason: .unregistered)), "refused", "drop_token"),
            (.refused(APNsRefusal(status: 403, reason: .forbidden)), "refused", "fix_configuration"),
            (.refused(APNsRefusal(status: 403, reason: .expiredProviderToken)), "refused", "authentication"),
            (.refused(APNsRefusal(status: 429, reason: .tooManyRequests)), "refused", "wait"),
            (.refused(APNsRefusal(status: 503, reason: .shutdown)), "refused", "reconnect"),
            (.refused(APNsRefusal(status: 404, reason: .badPath)), "refused", "our_mistake"),
            (.refused(APNsRefusal(status: 500, reason: .other("Tomorrow's"))), "refused", "wait"),
            (.notSent(.invalidRequest("")), "not_sent", "invalid_request"),
            (.notSent(.bodyTooLarge(bytes: 4_097)), "not_sent", "body_too_large"),
            (.notSent(.noProviderToken("")), "not_sent", "no_provider_token"),
            (.notSent(.noConnection("")), "not_sent", "no_connection"),
            (.notSent(.queueFull), "not_sent", "queue_full"), (.notSent(.timedOut), "not_sent", "timed_out"),
            (.notSent(.cancelled), "not_sent", "cancelled"),
            (.notSent(.shuttingDown), "not_sent", "shutting_down"),
            (.notSent(.streamRefused), "not_sent", "stream_refused"),
            (.notSent(.connectionClosing(reason: nil)), "not_sent", "connection_closing"),
            (.unknown(.timedOut), "unknown", "timed_out"), (.unknown(.cancelled), "unknown", "cancelled"),
            (.unknown(.streamReset(code: 2)), "unknown", "stream_reset"),
            (.unknown(.connectionLost("")), "unknown", "connection_lost"),
            (.unknown(.unreadableAnswer("")), "unknown", "unreadable_answer"),
            (.unknown(.shuttingDown), "unknown", "shutting_down"),
        ] as [(APNsResult, String, String)])
    func labels(result: APNsResult, outcome: String, cause: String) throws {
        let metrics = TestMetrics()
        let counters = withMetricsFactory(metrics) { RequestCounters(.sandbox) }
        counters.count(result)
        counters.count(result)
        #expect(requests(metrics, outcome, cause, .sandbox) == 2)
    }

    @Test("A client counts its requests, those that it does not send too, and its connections")
    func client() async throws {
        let metrics = TestMetrics()
        let server = try await ScriptedHTTP2Server.start { request in
            request.value("apns-id")?.hasSuffix("00") == true
                ? .answer(200) : .answer(410, body: #"{"reason":"Unregistered"}"#)
        }
        let client = try withMetricsFactory(metrics) { try Fixture.client(server) }
        _ = await client.send(Fixture.request(0))
        _ = await client.send(Fixture.request(1))
        _ = await client.send(Fixture.request(2, body: ""))
        #expect(requests(metrics, "accepted", "none") == 1)
        #expect(requests(metrics, "refused", "drop_token") == 1)
        #expect(requests(metrics, "not_sent", "invalid_request") == 1)
        let waiting = try gauge(metrics, "requests_waiting")
        #expect(waiting.values.contains(1) && waiting.lastValue == 0)
        #expect(try gauge(metrics, "connections_open").lastValue == 1)
        #expect(try metrics.expectCounter("doorstep_apns_provider_tokens_signed_total").totalValue == 1)
    }

    @Test("A connection that cannot be opened is counted, and that it is not tried for a while")
    func failedConnection() async throws {
        let metrics = TestMetrics()
        let server = try await ScriptedHTTP2Server.start()
        try await server.stop()
        let client = try withMetricsFactory(metrics) { try Fixture.client(server) }
        _ = await client.send(Fixture.request())
        let failed = try metrics.expectCounter(
            "doorstep_apns_connections_failed_total", [("environment", "production")])
        // Where the request was slow to be given up it was tried once more meanwhile.
        #expect(failed.totalValue >= 1)
        #expect(try gauge(metrics, "connections_backing_off").lastValue == 1)
    }

    @Test("A connection that failed counts until another is open, also while that is tried")
    func failedAgain() async throws {
        let metrics = TestMetrics()
        let server = try await ScriptedHTTP2Server.start(isSilent: true)
        let client = try withMetricsFactory(metrics) {
            try Fixture.client(server) { $0.connectTimeout = .milliseconds(100) }
        }
        let failed = try metrics.expectCounter(
            "doorstep_apns_connections_failed_total", [("environment", "production")])
        while failed.totalValue < 2 { _ = await client.send(Fixture.request()) }
        let values = try gauge(metrics, "connections_backing_off").values.drop { $0 == 0 }
        #expect(values.count >= 2 && values.allSatisfy { $0 == 1 }, "\(values)")
    }

    @Test("How far the clocks are apart is recorded when APNs calls a young provider token expired")
    func clockSkew() async throws {
        let metrics = TestMetrics()
        let server = try await ScriptedHTTP2Server.start { _ in
            .answer(
                403, headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")], body: #"{"reason":"ExpiredProviderToken"}"#)
        }
        let client = try withMetricsFactory(metrics) { try Fixture.client(server) }
        _ = await client.send(Fixture.request())
        #expect(try metrics.expectGauge("doorstep_apns_clock_skew_seconds").lastValue == 1_010_888_223)
    }

    @Test("The clocks are no longer apart once APNs accepts a request")
    func correctedClock() async throws {
        let metrics = TestMetrics()
        let server = try await ScriptedHTTP2Server.start { request in
            request.value("apns-id")?.hasSuffix("00") == true
                ? .answer(
                    403, headers: [("date", "Sun, 06 Nov 1994 08:49:37 GMT")],
                    body: #"{"reason":"ExpiredProviderToken"}"#)
                : .answer(200)
        }
        let client = try withMetricsFactory(metrics) { try Fixture.client(server) }
        let skew = try metrics.expectGauge("doorstep_apns_clock_skew_seconds")
        #expect(await client.send(Fixture.request(1)).isAccepted)
        #expect(skew.values.isEmpty)
        #expect(await client.send(Fixture.request(0)).refusal?.reason == .expiredProviderToken)
        #expect(skew.values == [1_010_888_223])
        var result = await client.send(Fixture.request(2))
        while case .notSent(.noConnection) = result { result = await client.send(Fixture.request(2)) }
        #expect(result.isAccepted)
        #expect(skew.values == [1_010_888_223, 0])
    }
}
