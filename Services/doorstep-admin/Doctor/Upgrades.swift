/// A version of Doorstep: `0.21.0`, or `0.21` for any of its patches.
struct ReleaseNumber: Hashable, Comparable, CustomStringConvertible, Sendable {
    let major: Int
    let minor: Int
    /// The text that was read.
    let description: String

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy({ ($0 ?? -1) >= 0 }), let major = parts[0],
            let minor = parts[1]
        else { return nil }
        self.major = major
        self.minor = minor
        description = String(text)
    }

    /// Patches are equal: none has steps of its own.
    static func < (one: ReleaseNumber, other: ReleaseNumber) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }
}

/// The steps that upgrades need, by version, as docs/upgrades.md lists them.
struct Upgrades: Sendable {
    struct Section: Sendable {
        let version: ReleaseNumber
        let title: String
        /// Markdown.
        let text: String
    }

    /// The newest first.
    let sections: [Section]

    /// - Parameter page: Markdown with a heading `## 0.22: …` for each version with steps of its own.
    init(page: String) {
        sections = page.components(before: "## ").compactMap { part in
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let heading = lines[0].split(separator: ": ", maxSplits: 1)
            guard heading.count == 2, lines.count == 2, let version = ReleaseNumber(heading[0]) else { return nil }
            return Section(version: version, title: String(heading[1]), text: String(lines[1]).trimmed)
        }
    }

    /// The steps in the page of this executable.
    static var current: Upgrades { Upgrades(page: String(decoding: PackageResources.upgrades_md, as: UTF8.self)) }

    /// The steps from a version to the newest, the oldest first.
    func text(from former: ReleaseNumber) -> String {
        let every = """
            Every upgrade: first what is said to come before the new versions, then doorstep admin migrate and doorstep \
            admin streams. Replace one service at a time, orders first where no step below has another order. Then \
            doorstep admin doctor.
            """
        let applying = sections.filter { former < $0.version }.reversed()
        guard !applying.isEmpty else { return "No version since \(former) has steps of its own.\n\n\(every)" }
        return ([every] + applying.map { "To \($0.version): \($0.title)\n\n\($0.text)" }).joined(separator: "\n\n")
    }
}

extension String {
    /// The parts that begin with a line of this beginning, without it.
    fileprivate func components(before mark: String) -> [String] {
        var parts: [[Substring]] = []
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(mark) {
                parts.append([line.dropFirst(mark.count)])
            } else if !parts.isEmpty {
                parts[parts.count - 1].append(line)
            }
        }
        return parts.map { $0.joined(separator: "\n") }
    }

    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isNewline == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
