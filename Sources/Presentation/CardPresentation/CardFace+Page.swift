internal import LiveActivity

extension CardFace {
    /// The values for the pages' card template.
    ///
    /// - Parameters:
    ///   - title: the tab's title; nil where the card is one part of a page.
    ///   - icon: the path of the tab's icon.
    ///   - outdated: the warning that the card may be outdated; nil without one.
    package func pageValues(title: String?, icon: String, outdated: String?) -> [String: Any] {
        var values: [String: Any?] = [
            "tint": tint.rawValue, "glyph": glyph, "store": store, "headline": question ?? headline,
            "announcement": announcement,
            "title": title ?? "", "icon": icon, "reference": reference.isEmpty ? nil : reference,
            "corner": within ?? (summary.isEmpty ? nil : summary), "pin": pin, "detail": detail,
            "arrival": arrival,
            "promise": promise, "courier": courier, "outdated": outdated,
        ]
        if let progress { values["line"] = line(progress) }
        return values.compactMapValues(\.self)
    }

    /// The line from the store to the door, in units of its drawing.
    private func line(_ progress: Double) -> [String: Any] {
        let (begin, length) = (12.0, 296.0)
        func place(_ part: Double) -> Int { Int((begin + length * min(max(part, 0), 1)).rounded()) }
        func isReached(_ stop: Int) -> Bool { stop == 0 ? hasBegun : progress >= Self.stops[stop] }
        let current = Self.stops.indices.last(where: isReached)
        return [
            "done": place(progress) - Int(begin), "here": place(progress), "marker": marker.rawValue,
            "stops": Self.stops.indices.map { ["x": place(Self.stops[$0]), "isReached": isReached($0)] },
            "steps": steps.enumerated().map { ["name": $0.element, "isCurrent": $0.offset == current] },
        ]
    }
}
