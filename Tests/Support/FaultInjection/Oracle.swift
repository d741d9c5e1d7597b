/// Compares a stack's state with its acknowledgements: a pure function of both.
package struct Oracle: Sendable {
    /// The most Doorstep cards on one phone.
    package static let cardsMax = 5
    /// Live deliveries from which a customer has a summary, and below which none.
    package static let summaryStartsAt = 3
    package static let summaryEndsBelow = 2

    let ledger: Ledger
    let snapshot: StackSnapshot

    package init(_ ledger: Ledger, _ snapshot: StackSnapshot) {
        self.ledger = ledger
        self.snapshot = snapshot
    }

    /// All violations of the snapshot.
    package var violations: [Violation] {
        orders + snapshot.records.flatMap { violations(of: $0) } + fixes + wantedStates + screens + board + counters
    }

    // MARK: Orders and fixes

    private var orders: [Violation] {
        let known = Set(snapshot.records.map(\.delivery))
        return ledger.orders.sorted { $0.key < $1.key }.flatMap { reference, deliveries -> [Violation] in
            var found = deliveries.filter { !known.contains($0) }
                .map { Violation(.orderLost, "\(reference) has no delivery \($0)") }
            switch snapshot.orders[reference, default: 0] {
            case 0: found.append(Violation(.orderLost, reference))
            case 1: break
            case let count: found.append(Violation(.orderDoubled, "\(reference) is there \(count) times"))
            }
            return found
        }
    }

    private var fixes: [Violation] {
        ledger.fixes.sorted { $0.key < $1.key }.compactMap { courier, times in
            let lost = times.subtracting(snapshot.fixes[courier] ?? [])
            guard let first = lost.min() else { return nil }
            return Violation(.fixLost, "\(lost.count) of \(times.count) of \(courier), the first at \(first)")
        }
    }

    // MARK: The desk

    /// The board has every delivery that has not ended, and no other.
    private var board: [Violation] {
        let live = snapshot.records.count { !$0.hasEnded }
        guard let shown = snapshot.boardCount else { return [Violation(.boardWrong, "the desk shows no board")] }
        return shown == live ? [] : [Violation(.boardWrong, "it counts \(shown) deliveries, and \(live) are live")]
    }

    // MARK: Counters and processes

    private var counters: [Violation] {
        func notZero(_ counts: [String: Int], _ kind: Violation.Kind) -> [Violation] {
            counts.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map {
                Violation(kind, "\($0.key) is \($0.value)")
            }
        }
        return notZero(snapshot.backlogs, .backlog) + notZero(snapshot.faultCounts, .counter)
            + [snapshot.doctor].compactMap(\.self).map { Violation(.doctor, $0) }
            + snapshot.exits.map { Violation(.exit, $0) } + snapshot.logLines.map { Violation(.log, $0) }
            + snapshot.answers.map { Violation(.answer, $0) }
            + snapshot.eventFaults.map { Violation(.eventWrong, $0) }
            + snapshot.eventRepeats.map { Violation(.eventRepeated, $0) }
    }
}
