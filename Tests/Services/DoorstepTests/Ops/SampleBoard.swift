import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

@testable import Doorstep

/// Rows of a board, from the few fields that a test is about.
enum SampleBoard {
    static let now = Date(timeIntervalSince1970: 1_795_280_400)

    /// A row; minutes are counted from ``now``.
    static func row(
        id: String = UUID().uuidString.lowercased(), reference: String = "A-1", customer: String = "mette",
        courier: String? = nil, status: StatusCode = .enRoute, courierStatus: CourierStatus? = nil,
        risk: BoardBody.Risk = .onTime, lateMinutes: Int? = nil, promised minutes: Double = 30,
        endedAfter end: Double? = nil, timeZone: String = "Europe/Copenhagen", flags: [String] = [],
        holdReason: String? = nil
    ) throws -> BoardBody.Row {
        func time(_ minutes: Double) -> String { WireJSON.text(of: now.addingTimeInterval(minutes * 60)) }
        var members: [String: Any] = [
            "id": id, "reference": reference, "bag": ["number": 1, "count": 1], "customer": customer,
            "store": "nordhavn", "timeZone": timeZone, "status": status.rawValue, "phase": "on_the_way",
            "flags": flags, "promise": ["start": time(minutes - 30), "end": time(minutes)],
            "risk": end == nil ? risk.rawValue : "ended", "statusSince": time(-5), "version": 4,
        ]
        members["courierStatus"] = courierStatus?.rawValue
        members["courier"] = courier?.lowercased().replacing(" ", with: "-")
        members["courierName"] = courier
        members["lateMinutes"] = lateMinutes
        members["holdReason"] = holdReason
        members["endedAt"] = end.map(time)
        return try WireJSON.decode(
            BoardBody.Row.self, from: try JSONSerialization.data(withJSONObject: members))
    }

    static func board(_ rows: [BoardBody.Row], next: String? = nil) -> BoardBody {
        BoardBody(
            counts: .init(
                live: rows.count { $0.endedAt == nil }, late: rows.count { $0.risk == .late },
                atRisk: rows.count { $0.risk == .atRisk }, silent: 0, unassigned: 0, waitingForCustomer: 0),
            deliveries: rows, next: next)
    }
}
