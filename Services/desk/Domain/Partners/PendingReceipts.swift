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
        case .waiting: "Waiting for their delivery"
        case .unknown: "Unknown types"
        case .unreadable: "Unreadable"
        case .quarantined: "Test events"
        }
    }

    /// The remedy.
    var advice: String {
        switch self {
        case .waiting: "doorstep ops provider gives a delivery the provider's reference."
        case .unknown: "partners keeps them unchanged; a later version may apply them."
        case .unreadable: "Compare the source's provider with the body, which doorstep sources event prints."
        case .quarantined: "To apply them, let the source accept test events: doorstep sources add --accepts-test."
        }
    }
}
