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
            show(couriers.flatMap(\.deliveries))
            let values: [String: Any] = [
                "missing": missing, "asOf": asOf(couriers.first?.readAt ?? clock.now),
                "couriers": couriers.map(\.values),
                "isEmpty": couriers.isEmpty, "mayCall": reader.user.may(.dispatcher),
                "timeZone": board.timeZone.identifier,
            ]
            return .page(
                DeskPage.html(
                    "couriers", values, title: "Couriers", tab: .couriers, for: reader,
                    scripts: PageAsset.liveScripts, reading: "/couriers"), leadsToCalls: true)
        }
    }

    /// Exempts a courier from customers' maps, or ends it.
    @Sendable func changeCourierMap(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id", as: CourierID.self)
        return try await posting(request, as: .dispatcher) { reader, fields, _ in
            try await change.set(isShownOnMaps: fields["shown"] == "true", of: id, by: reader.user)
            return .seeOther("/couriers#\(id)")
        }
    }
}

extension CourierOnDesk {
    var name: String { (row?.name ?? deliveries.first?.courierName ?? id.rawValue).withoutDirectionControls }

    /// The courier's state in words, and when they were seen last: `standing for 4 min, seen 1 min ago`.
    var words: String {
        var standing = ""
        if state == .standing, let seconds = position?.standingSeconds, seconds >= 60 {
            standing = " for \(seconds / 60) min"
        }
        let seen = position?.latest.map { "seen \($0.time.ago(readAt))" } ?? "no position yet"
        return "\(state.text)\(standing), \(seen)"
    }

    /// The values of a page, without a number: the button to call asks for it, and is the page's who may call.
    var values: [String: Any] {
        let phones = row?.phones ?? 0
        var values: [String: Any] = [
            "id": id.rawValue, "name": name, "state": state.rawValue, "words": words,
            "phones": phones == 1 ? "1 phone" : "\(phones) phones", "isOffDuty": row?.onDuty == false,
            "deliveries": deliveries.map { row in
                let status = [row.statusText, row.holdText].compactMap(\.self).joined(separator: ", ")
                return [
                    "delivery": row.id.rawValue, "path": "/deliveries/\(row.id)",
                    "order": row.orderText.withoutDirectionControls, "status": status.withoutDirectionControls,
                ] as [String: Any]
            },
            "hasNone": deliveries.isEmpty, "isSilent": state == .silent, "isOffMap": row?.isOffMap == true,
            "map": [
                "path": "/couriers/\(id)/map", "value": row?.isOffMap == true ? "true" : "false",
                "button": row?.isOffMap == true ? "Show on customers' maps" : "Keep off customers' maps",
            ] as [String: Any],
        ]
        values["call"] = deliveries.first.map { "/deliveries/\($0.id)/call/\(ReadDelivery.Person.courier.rawValue)" }
        if let malformed = row?.malformed {
            let last = row?.malformedAt.map { ", the last \($0.ago(readAt))" } ?? ""
            values["unread"] = "\(malformed) positions could not be read\(last)"
        }
        return values
    }
}
