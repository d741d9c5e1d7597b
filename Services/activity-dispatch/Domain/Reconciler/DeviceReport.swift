import Foundation
import LiveActivity
import Messages

/// What an app reports, with its ids parsed.
struct DeviceReport: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case card(CardReport)
        /// It could not start a card; the code is ActivityKit's.
        case failed(code: String)
        /// Everything that it sees.
        case inventory([SeenInstance])
    }

    /// A Live Activity that the app sees.
    struct SeenInstance: Hashable, Sendable {
        let instance: String
        let card: UUID?
        let activity: ActivityID
        let revision: Revision
        let state: ReportBody.Instance.State
    }

    var card: UUID?
    /// ActivityKit's own id of the Live Activity.
    var instance: String?
    var activity: ActivityID?
    var content: Content
    /// The content that is shown, where a report of another kind says so too.
    var revision: Revision?
    /// What updates the card, where a report of another kind than `started` has it.
    var updateToken: PushToken?
    /// Whether the app itself put the content on the card, so that no push did.
    var isUpdatedByApp = false
    /// By the phone's clock.
    var at: Date?

    var isStart: Bool {
        if case .card(.started) = content { true } else { false }
    }
}
