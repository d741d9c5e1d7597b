import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import ServiceRuntime
import WebPages

/// The health of every part, and the repair of faults.
extension DeskHTTP {
    @Sendable func showHealth(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let all = await probe.findings(for: reader.user)
            let isWell = all.allSatisfy { $0.findings.allSatisfy { !$0.isWrong } }
            let values: [String: Any] = [
                "isWell": isWell, "asOf": asOf(clock.now), "timeZone": board.timeZone.identifier,
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
                    scripts: PageAsset.liveScripts, reading: "/health"))
        }
    }

    @Sendable func republish(_ request: Request, _ context: AppContext) async throws -> Response {
        let name = try context.path("service")
        return try await posting(request, as: .supervisor) { reader, _, _ in
            guard let service = TimelineEvent.Source(rawValue: name) else { throw Problem.notFound() }
            let count = try await repair.republish(service, by: reader.user)
            return .seeOther("/health?republished=\(count)")
        }
    }
}
