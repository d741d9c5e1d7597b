import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import TestSupport
import Testing

@testable import Desk

@Suite("What the desk finds out about a service", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ServiceProbeTests {
    private struct Report: Encodable {
        struct Check: Encodable {
            let name: String
            let status: String
            let error: String?
        }
        let status: String
        let checks: [Check]
    }

    @Test("A check that fails is named with what to do; what is well needs nothing")
    func findings() async throws {
        try await DeskUnderTest.run { desk, _ in
            let probe = ServiceProbe(services: desk.client)
            let ada = DeskUser(subject: "ada", role: .viewer)
            try desk.services.answer(
                "orders", "/health/ready",
                Report(
                    status: "ready",
                    checks: [
                        .init(name: "postgres", status: "ready", error: nil),
                        .init(name: "streams", status: "degraded", error: "consumer orders-estimates is missing"),
                    ]))
            try desk.services.answer("orders", "/v1/admin/dead-letters", DeadLettersBody(deadLetters: [], next: nil))
            let findings = await probe.findings(of: .orders, for: ada)
            #expect(findings.map(\.part) == ["postgres", "streams", "dead letters"])
            #expect(findings.filter(\.isWrong).map(\.part) == ["streams"])
            #expect(findings[1].fix?.contains("doorstep admin streams") == true)

            let letter = DeadLetterBody(
                id: "1", subject: "s", error: "e", attempts: 3, occurredAt: desk.wall.now, state: "open", payload: nil)
            try desk.services.answer(
                "orders", "/v1/admin/dead-letters", DeadLettersBody(deadLetters: [letter], next: "x"))
            let last = await probe.findings(of: .orders, for: ada).last
            #expect(last?.text == "more than 1" && last?.isWrong == true)

            for path in ["/metrics", "/v1/admin/dead-letters"] {
                try desk.services.answer("orders", path, [String](), status: 503)
            }
            let leaving = await probe.findings(of: .orders, for: ada)
            #expect(leaving.map(\.part) == ["postgres", "streams", "process"])
            #expect(leaving.last?.text == "orders is not ready: it answers 503")

            try desk.services.answer("orders", "/health/ready", "no report", status: 503)
            let unreported = await probe.findings(of: .orders, for: ada)
            #expect(unreported.map(\.text) == ["answers 503"] && unreported[0].fix?.hasPrefix("start it") == true)

            desk.services.set(away: ["orders"])
            let away = await probe.findings(of: .orders, for: ada)
            #expect(away.count == 1 && away[0].isWrong && away[0].text == "orders does not answer")
        }
    }

    @Test("A service that is not ready is named with the check that failed and its remedy, and is an outage")
    func notReady() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer(
                "orders", "/health/ready",
                Report(
                    status: "not_ready",
                    checks: [
                        .init(name: "postgres", status: "ready", error: nil),
                        .init(name: "schema", status: "failed", error: "migration 7 is missing"),
                    ]), status: 503)
            let probe = ServiceProbe(services: desk.client)
            let findings = await probe.findings(of: .orders, for: DeskUser(subject: "ada", role: .viewer))
            #expect(findings.map(\.part) == ["postgres", "schema"])
            let failed = try #require(findings.last)
            #expect(failed.text == "migration 7 is missing" && failed.fix == "doorstep admin migrate")
            #expect(probe.outages.map(\.reason) == ["is not ready: it answers 503"])
        }
    }
}
