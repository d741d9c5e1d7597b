import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

extension DeskChange {
    /// The reverse change in the query of a delivery's page, each field with its `&`; empty for an irreversible change.
    ///
    /// - Parameter before: the delivery before the change.
    func undoQuery(_ before: DeliveryBody, in timeZone: TimeZone) -> String {
        guard let undo = undo(before) else { return "" }
        return "&undo=\(undo.kind.rawValue)" + undo.fields(restoring: before, in: timeZone)
    }

    private func fields(restoring before: DeliveryBody, in timeZone: TimeZone) -> String {
        func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        switch self {
        case .hold:
            // An address has no words of a person: a reason of theirs becomes `Undo`.
            let known = CourierProblem.allCases.map(\.reason)
            let reason = before.flags.contains(.onHold) ? before.reason.flatMap { known.contains($0) ? $0 : nil } : nil
            return ChangeForm.fields(ofHold: reason).map { "&\($0.key)=\(encoded($0.value))" }.joined()
        case .courier(let courier, let stopsBefore):
            let id = courier?.rawValue ?? "nobody"
            return "&courier=\(id)&former=\(id)" + (stopsBefore.map { "&stops=\($0)" } ?? "")
        case .promise(let promise):
            return [("start", promise.start), ("end", promise.end)].map { field, date in
                "&\(field)=\(encoded(ChangeForm.text(date, in: timeZone)))"
                    + "&\(ChangeForm.exactName(of: field))=\(date.epochSeconds)"
            }.joined()
        case .trip(let stops): return "&stops=\(stops)"
        case .status, .release, .item, .addItem, .dropOff, .recipient, .settleCorrection, .resend, .endCards:
            return ""
        }
    }
}
