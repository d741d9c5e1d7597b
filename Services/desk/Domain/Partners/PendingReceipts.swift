/// Events of providers that changed nothing so far, by why.
enum PendingReceipts: String, CaseIterable, Sendable {
    case waiting, unknown, unreadable, quarantined

    /// The most receipts shown of each kind.
    static let shownMax = 50

    /// The path of their list at `partners`, newest first.
    var path: String {
        switch self {
        case .unknown: "/v1/receipts?unknown=true"
        case .waiting, .unreadable, .quarantined: "/v1/receipts?state=\(rawValue)"
        }
    }

    var title: String {
        switch self {
        case .waiting: "Of no delivery yet"
        case .unknown: "Of a meaning that is not known"
        case .unreadable: "Not readable"
        case .quarantined: "Test events"
        }
    }

    /// The remedy.
    var advice: String {
        switch self {
        case .waiting: "Say what the provider calls the delivery: doorstep ops provider."
        case .unknown: "They are kept as they came; a later version may know them."
        case .unreadable: "See whether the source has the right provider: doorstep sources event has the body."
        case .quarantined: "Where they should count, the source is to accept test events."
        }
    }
}
