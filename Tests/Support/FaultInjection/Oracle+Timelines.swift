import OrderDomain

/// The check of a delivery's timeline against its acknowledged changes.
extension Oracle {
    func violations(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        sequence(of: record) + changes(of: record) + reports(of: record) + status(of: record) + events(of: record)
    }

    /// A line for each version, from the first on; providers' reports may be more, since some change nothing.
    private func sequence(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        let versions = record.lines.map(\.version)
        let changes = record.lines.filter { !$0.isByProvider }.map(\.version)
        let isRising = zip(changes, changes.dropFirst()).allSatisfy(<)
        guard !isRising || Set(versions) != Set(1...max(1, record.version)) else { return [] }
        return [Violation(.timelineBroken, "\(record.delivery) is at version \(record.version) and has \(versions)")]
    }

    /// Every acknowledged change once and in order; no line that a client was not acknowledged.
    private func changes(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        var found: [Violation] = []
        var lastVersion = 0
        var expected: Set<Int> = []
        for change in ledger.changes[record.delivery] ?? [] {
            let lines = record.lines.indices.filter { record.lines[$0].carries(change.marker) }
            expected.formUnion(lines)
            let name = "\(record.delivery): \(change.marker)"
            switch (change.outcome, lines.count) {
            case (.acknowledged, 0): found.append(Violation(.changeLost, name))
            case (.refused, 1...), (.alreadySo, 1...):
                found.append(Violation(.changeUnasked, "\(name) was answered as \(change.outcome.rawValue)"))
            case (_, 2...): found.append(Violation(.changeDoubled, "\(name) is there \(lines.count) times"))
            case (.acknowledged, _):
                let version = record.lines[lines[0]].version
                if version <= lastVersion { found.append(Violation(.changeMisplaced, name)) }
                lastVersion = version
            case (.open, _), (.refused, _), (.alreadySo, _): break
            }
        }
        for (index, line) in record.lines.enumerated() where line.isByClient && !expected.contains(index) {
            found.append(Violation(.changeUnasked, "\(record.delivery): version \(line.version), \(line.what)"))
        }
        return found
    }

    /// Every report of an accepted webhook is in the timeline once; no other report is.
    private func reports(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        let taken = ledger.reports(of: record.delivery)
        let counts = record.lines.compactMap(\.report).reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        let lost = taken.subtracting(counts.keys).sorted().map {
            Violation(.reportLost, "\(record.delivery): \($0)")
        }
        return lost
            + counts.sorted { $0.key < $1.key }.compactMap { report, count in
                guard taken.contains(report) else {
                    return Violation(.changeUnasked, "\(record.delivery): \(report)")
                }
                return count > 1
                    ? Violation(.reportDoubled, "\(record.delivery): \(report) is there \(count) times") : nil
            }
    }

    /// Checks the status against the last line, and against the last acknowledged status.
    private func status(of record: StackSnapshot.DeliveryRecord) -> [Violation] {
        var found: [Violation] = []
        if let last = record.lines.last(where: { $0.statusAfter != nil })?.statusAfter, last != record.status {
            found.append(
                Violation(
                    .statusWrong,
                    "\(record.delivery) is \(record.status.rawValue), its timeline ends with \(last.rawValue)"))
        }
        let acknowledged = (ledger.changes[record.delivery] ?? []).filter { $0.outcome == .acknowledged }
        let codes = acknowledged.compactMap(\.status).filter { if case .courier = $0.region { false } else { true } }
        if let last = codes.last, record.status != last,
            record.status.rank < last.rank || record.hasEnded || last.rank == StatusCode.delivered.rank
        {
            found.append(
                Violation(
                    .statusWrong,
                    "\(record.delivery) is \(record.status.rawValue), and \(last.rawValue) was acknowledged last"))
        }
        return found
    }
}

extension StackSnapshot.DeliveryRecord.Line {
    /// Whether a client asked for it with this marker; a timer's line may name the same substitute.
    func carries(_ marker: String) -> Bool { isByClient && (reason == marker || what.contains(marker)) }

    /// Whether a shop, an operator or a courier asked for it; the placing itself is the order's.
    var isByClient: Bool {
        kind != "placed" && (by.hasPrefix("store ") || by.hasPrefix("operator ") || by.hasPrefix("courier "))
    }

    /// Whether a provider reported it, or it was inferred from a report.
    var isByProvider: Bool { kind == "report" }

    /// The code of the line's resulting status, `staged` of `picking/assigned → staged/assigned`; nil for a line
    /// without a status.
    var statusAfter: StatusCode? {
        if kind == "placed" { return .placed }
        let sides = what.split(separator: "→ ")
        guard ["status", "milestone", "report"].contains(kind), sides.count == 2 else { return nil }
        return StatusCode(rawValue: String(sides[1].prefix { $0 != "/" && $0 != "," }))
    }
}
