import OrderDomain

/// A delivery's story against what was acknowledged of it.
extension Oracle {
    func story(_ story: StackSnapshot.Story) -> [Violation] {
        sequence(of: story) + changes(of: story) + status(of: story)
    }

    /// One line for each version, from the first on.
    private func sequence(of story: StackSnapshot.Story) -> [Violation] {
        let versions = story.lines.map(\.version)
        guard versions != Array(1...max(1, story.version)) else { return [] }
        return [Violation(.storyBroken, "\(story.delivery) is at version \(story.version) and has \(versions)")]
    }

    /// Every acknowledged change once and in order; no line that a client was not acknowledged.
    private func changes(of story: StackSnapshot.Story) -> [Violation] {
        var found: [Violation] = []
        var lastVersion = 0
        var expected: Set<Int> = []
        for change in ledger.changes[story.delivery] ?? [] {
            let lines = story.lines.indices.filter { story.lines[$0].carries(change.marker) }
            expected.formUnion(lines)
            let name = "\(story.delivery): \(change.marker)"
            switch (change.outcome, lines.count) {
            case (.acknowledged, 0): found.append(Violation(.changeLost, name))
            case (.refused, 1...), (.alreadySo, 1...):
                found.append(Violation(.changeUnasked, "\(name) was answered as \(change.outcome.rawValue)"))
            case (_, 2...): found.append(Violation(.changeDoubled, "\(name) is there \(lines.count) times"))
            case (.acknowledged, _):
                let version = story.lines[lines[0]].version
                if version <= lastVersion { found.append(Violation(.changeMisplaced, name)) }
                lastVersion = version
            case (.open, _), (.refused, _), (.alreadySo, _): break
            }
        }
        for (index, line) in story.lines.enumerated() where line.isByClient && !expected.contains(index) {
            found.append(Violation(.changeUnasked, "\(story.delivery): version \(line.version), \(line.what)"))
        }
        return found
    }

    /// The status that the last line leads to; not behind the last one that was acknowledged.
    private func status(of story: StackSnapshot.Story) -> [Violation] {
        var found: [Violation] = []
        if let last = story.lines.last(where: { $0.statusAfter != nil })?.statusAfter, last != story.status {
            found.append(
                Violation(
                    .statusWrong,
                    "\(story.delivery) is \(story.status.rawValue), its story ends with \(last.rawValue)"))
        }
        let acknowledged = (ledger.changes[story.delivery] ?? []).filter { $0.outcome == .acknowledged }
        let codes = acknowledged.compactMap(\.status).filter { if case .courier = $0.region { false } else { true } }
        if let last = codes.last, story.status != last,
            story.status.rank < last.rank || story.hasEnded || last.rank == StatusCode.delivered.rank
        {
            found.append(
                Violation(
                    .statusWrong,
                    "\(story.delivery) is \(story.status.rawValue), and \(last.rawValue) was acknowledged last"))
        }
        return found
    }
}

extension StackSnapshot.Story.Line {
    /// Whether a client asked for it with this marker; a timer's line may name the same substitute.
    func carries(_ marker: String) -> Bool { isByClient && (reason == marker || what.contains(marker)) }

    /// Whether a shop, an operator or a courier asked for it; the placing itself is the order's.
    var isByClient: Bool {
        kind != "placed" && (by.hasPrefix("store ") || by.hasPrefix("operator ") || by.hasPrefix("courier "))
    }

    /// The code of the status that it leads to, `staged` of `picking/assigned → staged/assigned`; nil for a line about
    /// something else.
    var statusAfter: StatusCode? {
        if kind == "placed" { return .placed }
        let sides = what.split(separator: "→ ")
        guard kind == "status" || kind == "milestone", sides.count == 2 else { return nil }
        return StatusCode(rawValue: String(sides[1].prefix { $0 != "/" }))
    }
}
