import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain

/// The other bags of an order on the form of one of them.
extension DeskHTTP {
    /// The form's change of what the bags of an order share, and the same one of its other live bags that have the same
    /// former value; nil for another change, and without such a bag.
    ///
    /// A bag whose preview is refused is left out; one whose preview is not answered or not tried is named.
    func bags(
        _ form: ChangeForm, _ read: ReadDelivery.Result, _ attempts: BulkAttempts, for reader: SignedIn
    ) async -> [String: Any]? {
        var attempts = attempts
        guard let delivery = read.timeline.orders.body?.delivery else { return nil }
        let fields: [String: String]
        var former: [String: String]?
        let isShared: (BoardBody.Row) -> Bool
        switch form.change {
        case .promise(let promise):
            fields = ChangeForm.fields(of: promise)
            former = ChangeForm.fields(of: delivery.promise)
            isShared = { $0.promise == delivery.promise }
        case .dropOff(let correction):
            // Other bags keep what the form leaves as it is, such as a note of their own.
            let present = DropOff(recipient: nil, address: delivery.address, note: delivery.note)
            fields = ChangeForm.fields(
                of: DropOffCorrection(
                    door: correction.door, texts: correction.texts.filter { present?[$0.key] != $0.value }))
            isShared = { $0.door == delivery.door && $0.street == delivery.address?.street }
        case .recipient(let correction):
            fields = ChangeForm.fields(of: correction)
            isShared = { $0.recipient == delivery.recipient?.name }
        case .status, .courier, .hold, .release, .trip, .item, .addItem, .settleCorrection, .resend, .endCards:
            return nil
        }
        func planned(_ id: DeliveryID, version: Int) -> PlannedChange {
            PlannedChange(id, version: version, fields: fields, former: former)
        }
        let rows = board.entries.map(\.row).filter { row in
            row.id != delivery.id && row.store == delivery.store.id && row.reference == delivery.reference
                && row.endedAt == nil && isShared(row)
        }
        var others: [[String: Any]] = []
        var unanswered: [[String: Any]] = []
        for row in rows.sorted(by: { $0.bag.number < $1.bag.number }) {
            let plan = planned(row.id, version: row.version)
            let outcome = await previewed(
                form.change.kind, plan, reason: form.reason, isKnown: false, &attempts, by: reader.user)
            let line = ["value": plan.text, "text": "\(row.orderText): \(outcome.text)"]
            if outcome.isUnanswered {
                unanswered.append(line)
            } else if !outcome.isFault {
                others.append(line)
            }
        }
        guard !others.isEmpty || !unanswered.isEmpty else { return nil }
        let lead =
            form.change.kind == .promise
            ? "The order has other bags with the same promise. Move theirs too:"
            : "The order has other bags for the same door. Correct theirs too:"
        return [
            "own": planned(delivery.id, version: form.version).text, "others": others, "unanswered": unanswered,
            "lead": lead, "kind": form.change.kind.rawValue,
        ]
    }
}
