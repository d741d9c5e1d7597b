import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import OrderDomain
import ServiceRuntime
import WebPages

/// Whether every part does its work, and the repair of what does not.
extension DeskHTTP {
    @Sendable func showHealth(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let probes = ServiceProbe(services: services)
            let all = await findings(by: probes, for: reader.user)
            let isWell = all.allSatisfy { $0.1.allSatisfy { !$0.isWrong } }
            let values: [String: Any] = [
                "isWell": isWell, "asOf": DeskPage.asOf(clock.now, at: clock.now),
                "mayRepair": reader.user.may(.supervisor), "done": request.query("republished") ?? "",
                "hasDone": request.query("republished").flatMap { Int($0) } != nil,
                "sections": all.map { service, findings in
                    [
                        "service": service.rawValue,
                        "findings": findings.map { finding in
                            [
                                "part": finding.part, "text": finding.text, "fix": finding.fix ?? "",
                                "isWrong": finding.isWrong, "hasFix": finding.fix != nil,
                            ] as [String: Any]
                        },
                    ] as [String: Any]
                },
            ]
            return .page(
                DeskPage.html(
                    "health", values, title: isWell ? "All is well" : "Health", tab: .health, for: reader,
                    scripts: [.htmx], reading: "/health"))
        }
    }

    /// Of every service that can be asked, in their order; all are asked at once.
    private func findings(
        by probes: ServiceProbe, for user: DeskUser
    ) async -> [(TimelineEvent.Source, [ServiceProbe.Finding])] {
        let configured = services.addresses.configured
        let found = await withTaskGroup(of: (TimelineEvent.Source, [ServiceProbe.Finding]).self) { group in
            for service in configured {
                group.addTask { (service, await probes.findings(of: service, for: user)) }
            }
            var found: [TimelineEvent.Source: [ServiceProbe.Finding]] = [:]
            for await (service, findings) in group { found[service] = findings }
            return found
        }
        return configured.map { ($0, found[$0] ?? []) }
    }

    @Sendable func republish(_ request: Request, _ context: AppContext) async throws -> Response {
        let name = try context.path("service")
        return try await posting(request, as: .supervisor) { reader, _, _ in
            guard let service = TimelineEvent.Source(rawValue: name) else { throw Problem.notFound() }
            let body: RepublishBody = try await services.send(
                .POST, service, "/v1/admin/republish", [String: String]?.none, for: reader.user)
            return .seeOther("/health?republished=\(body.republished)")
        }
    }
}
