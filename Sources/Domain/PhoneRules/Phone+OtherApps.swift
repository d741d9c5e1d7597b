/// The island among apps: two activities have room in it, and all others are on the Lock Screen alone.
///
/// Apple documents that the system chooses two of several apps' activities, and not how. What is played here are field
/// reports: the newest update among apps comes first, and calls, music and timers come before every app.
extension Phone {
    /// An activity of another app, or of the system, that is in the island or would be.
    public struct OtherApp: Codable, Hashable, Sendable {
        public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
            /// One of any other app.
            case app
            case call, music, timer

            /// Whether it comes before the activity of every app, however old it is.
            public var comesFirst: Bool {
                switch self {
                case .app: false
                case .call, .music, .timer: true
                }
            }
        }

        public let kind: Kind
        /// Epoch seconds.
        public let updatedAt: Int

        public init(_ kind: Kind, updatedAt: Int) {
            self.kind = kind
            self.updatedAt = updatedAt
        }
    }

    /// The place of this app's card while another app uses the island too.
    public enum MinimalPlace: String, Codable, CaseIterable, Hashable, Sendable {
        /// Beside the camera: this app's card has priority.
        case attached
        /// In a circle of its own: the other app has priority.
        case detached
    }

    /// Other apps' activities for the island, by priority: one of a kind.
    public var otherApps: [OtherApp] {
        get { storedOtherApps ?? [] }
        set {
            let newest = Dictionary(newValue.map { ($0.kind, $0) }) { $0.updatedAt > $1.updatedAt ? $0 : $1 }
            storedOtherApps = newest.values.sorted(by: Self.comesBefore)
        }
    }

    /// The rank of this app in the island, from 0; nil without other apps.
    var rank: Int? {
        guard !otherApps.isEmpty else { return nil }
        let ours = updatedAt ?? liveCards.map(\.shownSince).max() ?? .min
        return otherApps.count { $0.kind.comesFirst || $0.updatedAt >= ours }
    }

    /// Starts or updates what else is in the island.
    mutating func updateOtherApp(_ kind: OtherApp.Kind, at time: Int) {
        otherApps.append(OtherApp(kind, updatedAt: time))
    }

    /// Ends what else is in the island: of one kind, or all of it.
    mutating func endOtherApps(_ kind: OtherApp.Kind?) { otherApps.removeAll { kind == nil || $0.kind == kind } }

    private static func comesBefore(_ one: OtherApp, _ other: OtherApp) -> Bool {
        if one.kind.comesFirst != other.kind.comesFirst { return one.kind.comesFirst }
        return (one.updatedAt, other.kind.rawValue) > (other.updatedAt, one.kind.rawValue)
    }
}
