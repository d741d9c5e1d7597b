import APIClient
import DeliveryDiagnosis
import DoorstepAPI
import Foundation

/// Probes of a service: its readiness, its metrics and its dead letters.
struct ServiceProbe: Sendable {
    /// Seconds that the oldest message may have waited for the broker.
    static let outboxSecondsMax = 30.0

    struct Finding: Hashable, Sendable {
        let part: String
        let text: String
        /// The remedy; nil without a fault.
        let fix: String?

        var isWrong: Bool { fix != nil }
    }

    let services: ServiceClient

    private struct Report: Decodable {
        struct Check: Decodable {
            let name: String
            let status: String
            let error: String?
        }
        let status: String
        let checks: [Check]
    }

    /// The services that have not answered this process, in the services' order.
    var outages: [ServiceUnavailable] { services.outages.present }

    /// Findings about every service that is configured, in the services' order; all are asked at once.
    func findings(for user: DeskUser) async -> [(service: TimelineEvent.Source, findings: [Finding])] {
        await withTaskGroup(of: (TimelineEvent.Source, [Finding]).self) { group in
            let configured = services.addresses.configured
            for service in configured { group.addTask { (service, await findings(of: service, for: user)) } }
            let found: [TimelineEvent.Source: [Finding]] = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return configured.map { ($0, found[$0] ?? []) }
        }
    }

    func findings(of service: TimelineEvent.Source, for user: DeskUser) async -> [Finding] {
        var findings: [Finding] = []
        do {
            let readiness = try await readiness(of: service)
            findings += readiness.findings
            guard readiness.isReady else { return findings }
            findings += try await outbox(of: service)
            findings += try await deadLetters(of: service, for: user)
        } catch {
            findings.append(Finding(part: "process", text: "\(error)", fix: Self.startFix))
        }
        return findings
    }

    private static let startFix = "start it, and check its address in the desk's settings"

    /// The checks of a service; one that is not ready answers 503 with them.
    private func readiness(
        of service: TimelineEvent.Source
    ) async throws -> (findings: [Finding], isReady: Bool) {
        let answer = try await services.probe(service, "/health/ready")
        // A service without a readable report is judged by its status below.
        let report = try? JSONDecoder().decode(Report.self, from: answer.body)
        let findings = (report?.checks ?? []).map { check in
            check.status == "ready"
                ? Finding(part: check.name, text: "is ready", fix: nil)
                : Finding(part: check.name, text: check.error ?? check.status, fix: Self.fix(of: check.name))
        }
        let isReady = answer.status == 200
        guard !isReady, findings.allSatisfy({ !$0.isWrong }) else { return (findings, isReady) }
        // An answer without a report may be of a proxy before the service.
        let process = Finding(
            part: "process", text: report?.status ?? "answers \(answer.status)",
            fix: report == nil ? Self.startFix : "read its log")
        return (findings + [process], isReady)
    }

    private static func fix(of check: String) -> String {
        switch check {
        case "schema": "doorstep admin migrate"
        case "streams":
            """
            doorstep admin streams; if that does not help, doorstep admin rebuild-streams; with --replicas 3 in a \
            cluster that has lost its streams
            """
        case "nats": "start the broker; deliveries continue meanwhile, and cards are updated afterwards"
        case "postgres": "start the database, or read its log"
        default: "read its log"
        }
    }

    /// The age of the oldest outbox message, from the service's metrics; no finding where these are not answered.
    private func outbox(of service: TimelineEvent.Source) async throws -> [Finding] {
        let answer = try await services.probe(service, "/metrics")
        guard answer.status == 200,
            let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix("doorstep_outbox_oldest_unsent_seconds") }),
            let seconds = line.split(separator: " ").last.flatMap({ Double($0) })
        else { return [] }
        return [
            Finding(
                part: "outbox", text: "the oldest message has waited \(Int(seconds)) s",
                fix: seconds > Self.outboxSecondsMax ? "check that the broker runs; then publish again" : nil)
        ]
    }

    private func deadLetters(of service: TimelineEvent.Source, for user: DeskUser) async throws -> [Finding] {
        let body: DeadLettersBody
        do {
            body = try await services.get(service, "/v1/admin/dead-letters", for: user, as: DeadLettersBody.self)
        } catch let refusal as ServiceRefusal where refusal.status == 403 || refusal.status == 404 {
            // The reader may not see dead letters, or the service has no page of them.
            return []
        } catch let refusal as ServiceRefusal {
            return [Finding(part: "dead letters", text: "\(refusal)", fix: "read its log")]
        }
        let count = body.next == nil ? "\(body.deadLetters.count)" : "more than \(body.deadLetters.count)"
        return [
            Finding(
                part: "dead letters", text: body.deadLetters.isEmpty ? "none" : count,
                fix: body.deadLetters.isEmpty ? nil : "retry or drop them on the page Dead letters")
        ]
    }
}
