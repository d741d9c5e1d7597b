import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import WebPages

/// Choosing what several deliveries get: a courier, a window or a status, each by one button that leads to the preview.
extension DeskHTTP {
    /// - Parameter giver: the courier whose deliveries these are, how many there are, and which stay, if any; nil for
    ///   deliveries of the board.
    func choosePage(
        _ kind: DeskChange.Kind, _ changes: [PlannedChange],
        of giver: (courier: CourierID, name: String, count: Int, staying: String?)? = nil, reason: String,
        for reader: SignedIn
    ) async -> Response {
        let rows = changes.map { board.entry(of: $0.delivery)?.row }
        show(rows.compactMap(\.self))
        var place: FetchPlace?
        if kind == .courier { place = await fetchPlace(of: changes, rows, for: reader.user) }
        let choices: (values: [[String: Any]], areCut: Bool) =
            switch kind {
            case .courier: await courierChoices(without: giver?.courier, toFetchFrom: place, for: reader.user)
            case .promise: (Self.windowChoices, false)
            default: (Self.statusChoices(of: rows.compactMap(\.self)), false)
            }
        let count = giver?.count ?? changes.count
        let deliveries = count == 1 ? "1 delivery" : "\(count) deliveries"
        let isLate = !rows.isEmpty && rows.allSatisfy { $0?.riskText != nil }
        var values: [String: Any] = [
            "title": giver.map { "Give \($0.name)'s \($0.count) to another courier" }
                ?? "\(kind.title) of \(deliveries)",
            "back": giver == nil ? "/" : "/couriers", "backText": giver == nil ? "To the board" : "To the couriers",
            "kind": kind.rawValue, "reason": reason.isEmpty && kind == .promise && isLate ? "late" : reason,
            "field": kind == .promise ? "window" : kind.rawValue, "choices": choices.values,
            "isEmpty": choices.values.isEmpty, "areCut": choices.areCut,
            "deliveries": zip(changes, rows).map { change, row in
                [
                    "value": change.text, "order": row?.orderText ?? change.delivery.rawValue,
                    "status": row?.statusText ?? "",
                ]
            },
        ]
        values["near"] = place?.name.withoutDirectionControls
        values["staying"] = giver?.staying
        return .page(
            DeskPage.html(
                "choose", values, title: giver.map { "Give away what \($0.name) has" } ?? kind.title,
                tab: giver == nil ? .now : .couriers, for: reader))
    }

    /// The place of the first picked-up delivery, or else of the first one.
    private func fetchPlace(
        of changes: [PlannedChange], _ rows: [BoardBody.Row?], for user: DeskUser
    ) async -> FetchPlace? {
        let pickedUp = rows.firstIndex { $0.map { $0.courierStatus == nil && $0.endedAt == nil } ?? false }
        guard let change = pickedUp.map({ changes[$0] }) ?? changes.first else { return nil }
        return await readCouriers.fetchPlace(of: change.delivery, for: user)
    }

    /// The couriers on duty first, the nearest to the goods before others; and whether there are more.
    private func courierChoices(
        without giver: CourierID?, toFetchFrom place: FetchPlace?, for user: DeskUser
    ) async -> (values: [[String: Any]], areCut: Bool) {
        let (choices, areCut) = await readCouriers.choices(for: user, toFetchFrom: place)
        let values = choices.filter { $0.courier.courier != giver }.map { choice -> [String: Any] in
            ["value": choice.courier.courier.rawValue, "text": choice.text.withoutDirectionControls]
        }
        return (values, areCut)
    }

    private static var windowChoices: [[String: Any]] {
        PromiseChoice.all.map { choice in
            ["value": choice.rawValue, "text": choice == .expected ? "when each is expected" : choice.text]
        }
    }

    /// The statuses that any of the deliveries may be set to.
    private static func statusChoices(of rows: [BoardBody.Row]) -> [[String: Any]] {
        Set(rows.flatMap(\.allowed)).sorted { ($0.rank, $0.rawValue) < ($1.rank, $1.rawValue) }
            .map { ["value": $0.rawValue, "text": $0.text] }
    }
}

extension BoardBody.Row {
    /// The statuses that a dispatcher may set; without a courier none of a courier's, which `orders` refuses.
    ///
    /// Besides those that follow, one confirms that the goods were fetched, one decides about a missing proof in any
    /// status, and one settles a dispute.
    var allowed: [StatusCode] {
        var codes = domainStatus.allowed.filter { courier != nil || !$0.needsCourier }
        if fetchedFrom != nil { codes.append(.pickedUp) }
        if undecidedSince != nil { codes.append(.delivered) }
        if disputedAt != nil { codes.append(status) }
        return codes
    }
}
