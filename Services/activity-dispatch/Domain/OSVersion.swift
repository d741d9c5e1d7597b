/// The version of a phone's system.
struct OSVersion: Hashable, Comparable, Sendable {
    let major: Int
    let minor: Int

    /// The first with which a server can start cards.
    static let startsByPush = OSVersion(major: 17, minor: 2)
    /// The first that hands out an update token because a start asks for it.
    static let asksForToken = OSVersion(major: 18, minor: 0)
    /// The first on which an app can schedule a card.
    static let schedulesCards = OSVersion(major: 26, minor: 0)

    init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// - Parameter text: one to four numbers with dots between, such as `17.2.1`.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) && part.count <= 4 ? Int(part) : nil }
        guard (1...4).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(major: numbers[0], minor: numbers.count > 1 ? numbers[1] : 0)
    }

    var text: String { "\(major).\(minor)" }

    static func < (one: OSVersion, other: OSVersion) -> Bool { (one.major, one.minor) < (other.major, other.minor) }
}
