import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// The couriers: the place and time of each one's newest position, and their deliveries.
extension DeskHTTP {
    @Sendable func showCouriers(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let couriers = try await readCouriers(for: reader.user)
            let now = clock.now
            let values: [String: Any] = [
                "missing": missing, "asOf": asOf(now),
                "couriers": couriers.map { $0.values(now) },
                "isEmpty": couriers.isEmpty, "mayCall": reader.user.may(.dispatcher),
            ]
            return .page(
                DeskPage.html(
                    "couriers", values, title: "Couriers", tab: .couriers, for: reader, scripts: [.htmx],
                    reading: "/couriers"), leadsToCalls: true)
        }
    }
}

extension CourierOnDesk {
    var name: String { (row?.name ?? deliveries.first?.courierName ?? id.rawValue).withoutDirectionControls }

    /// When they were seen last: `12 min ago`.
    func seen(_ now: Date) -> String { position?.latest.map { $0.time.ago(now) } ?? "no position yet" }

    /// The values of a page, without a number: the button to call asks for it, and is the page's who may call.
    func values(_ now: Date) -> [String: Any] {
        var values: [String: Any] = [
            "id": id.rawValue, "name": name, "state": state.rawValue, "seen": seen(now),
            "phones": row?.phones ?? 0, "isOffDuty": row?.onDuty == false,
            "deliveries": deliveries.map { row in
                ["path": "/deliveries/\(row.id)", "order": row.orderText, "status": row.statusText] as [String: Any]
            },
            "hasNone": deliveries.isEmpty, "isSilent": state == .silent,
        ]
        values["call"] = deliveries.first.map { "/deliveries/\($0.id)/call/\(ReadDelivery.Person.courier.rawValue)" }
        if let malformed = row?.malformed {
            let last = row?.malformedAt.map { ", the last \($0.ago(now))" } ?? ""
            values["unread"] = "\(malformed) positions could not be read\(last)"
        }
        if state == .standing, let seconds = position?.standingSeconds, seconds >= 60 {
            values["standing"] = "for \(seconds / 60) min"
        }
        return values
    }
}
