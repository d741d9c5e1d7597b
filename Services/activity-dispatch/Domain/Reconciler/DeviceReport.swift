import Foundation
import LiveActivity
import Messages

/// An app's report, with parsed ids.
struct DeviceReport: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case card(CardReport)
        /// The app could not start a card; the code is ActivityKit's.
        case failed(code: String)
        /// Every instance that the app sees.
        case inventory([SeenInstance])
    }

    /// A Live Activity that the app sees.
    struct SeenInstance: Hashable, Sendable {
        let instance: String
        let card: UUID?
        let activity: ActivityID
        let revision: Revision
        let state: ReportBody.Instance.State
        /// Whether the app itself put the content on the card, so that no push did.
        var isUpdatedByApp = false
    }

    var card: UUID?
    /// ActivityKit's own id of the Live Activity.
    var instance: String?
    var activity: ActivityID?
    var content: Content
    /// The shown content's revision, where a report of another kind contains it.
    var revision: Revision?
    /// The card's update token, where a report of another kind than `started` contains it.
    var updateToken: PushToken?
    /// Whether the app itself put the content on the card, so that no push did.
    var isUpdatedByApp = false
    /// The time by the phone's clock.
    var at: Date?

    var isStart: Bool {
        if case .card(.started) = content { true } else { false }
    }
}
