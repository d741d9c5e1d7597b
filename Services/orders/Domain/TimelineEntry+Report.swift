import DoorstepAPI
import Foundation
import OrderDomain

extension TimelineEntry {
    /// The entries of a provider's report, even without a change: first the inferred steps, then the reported one.
    static func entries(
        of report: ProviderReport, from before: Delivery, to after: Delivery, by principal: Principal, at now: Date
    ) -> [TimelineEntry] {
        var entry = TimelineEntry(
            .report(report), from: before, to: after, by: principal, reason: nil, at: now)
        entry.report = ReportMark(
            source: report.source, id: report.id, occurredAt: report.occurredAt,
            isLate: report.status.map { !after.status.shows($0) && !report.isKept(by: after) } ?? false)
        let inferred = after.status.steps(after: before.status).filter { $0 != report.status }
        guard !inferred.isEmpty else { return [entry] }
        let mark = ReportMark(source: report.source, id: nil, occurredAt: report.occurredAt, isInferred: true)
        return [
            TimelineEntry(
                at: now, version: after.version, kind: reportKind,
                summary: inferred.map(\.rawValue).joined(separator: ", "), by: principal.recordedName, reason: nil,
                report: mark
            ),
            entry,
        ]
    }
}

extension ProviderReport {
    /// Whether it is of a hand-over that waits for a proof: one that was refuted waits for none.
    func isKept(by delivery: Delivery) -> Bool {
        status == .delivered && !delivery.status.isEnded && !delivery.missingProofs.isEmpty
            && refutation(by: delivery) == nil
    }

    /// Why a reported hand-over does not count by a later word, in a summary; nil where none refutes it.
    func refutation(by delivery: Delivery) -> String? {
        guard status == .delivered, delivery.status != .handedOver(.delivered), delivery.isRefuted(self) else {
            return nil
        }
        return delivery.isRefutedByAttempt(self) ? "an attempt was recorded since" : "the door was moved since"
    }
}

extension DeliveryStatus {
    /// Whether a code is the present one of its region; a cancel that became a return counts.
    fileprivate func shows(_ code: StatusCode) -> Bool {
        code == self.code || code == courierStatus?.code
            || code == .cancelled && self == .handedOver(.returning)
    }

    /// The usual steps between another status and this one, both excluded.
    fileprivate func steps(after former: DeliveryStatus) -> [StatusCode] {
        guard self != former else { return [] }
        func between(_ codes: [StatusCode], _ low: Int, _ high: Int) -> [StatusCode] {
            codes.filter { $0.rank > low && $0.rank < high }
        }
        let (store, courier, tail): ([StatusCode], [StatusCode], [StatusCode]) = (
            [.accepted, .picking, .staged], [.assigned, .toStore, .atStore], [.pickedUp, .enRoute]
        )
        switch (former, self) {
        case (.preparing(let oldStore, let oldCourier), .preparing(let newStore, let newCourier)):
            return between(store, oldStore.code.rank, newStore.code.rank)
                + between(courier, oldCourier.code.rank, newCourier.code.rank)
        case (.preparing(let oldStore, let oldCourier), .handedOver(let new)):
            guard new != .cancelled, new != .failed else { return [] }
            let isBack = new == .returning || new == .returned || new == .attempted
            return between(store, oldStore.code.rank, .max) + between(courier, oldCourier.code.rank, .max)
                + between(isBack ? [.pickedUp] : tail, 0, new.code.rank)
        case (.handedOver(let old), .handedOver(let new)):
            return new == .delivered ? between(tail, old.code.rank, new.code.rank) : []
        case (.handedOver, .preparing): return []
        }
    }
}
