public import Foundation
public import LiveActivity

/// The Live Activities of this app on its phone: ActivityKit, or what stands in for it in a test.
public protocol PhoneActivities: Sendable {
    /// The owner's present permission.
    func permission() -> PhonePermission
    /// The same whenever it changes.
    func permissions() -> AsyncStream<PhonePermission>
    /// The token that a server starts activities with, first the present one; none before iOS 17.2.
    func startTokens() -> AsyncStream<Data>
    /// All that the system knows now, ended ones too.
    func present() -> [PhoneActivity]
    /// The present activities, then each that starts, also by a push.
    func activities() -> AsyncStream<PhoneActivity>
    /// The changes of an activity, until it is dismissed; first its present token.
    func changes(of instance: String) -> AsyncStream<PhoneActivityChange>
    /// Starts one that is updated by pushes.
    ///
    /// - Returns: its instance.
    func start(_ activity: WantedBody.Activity) async throws(PhoneStartFailure) -> String
    /// Schedules one, updated by pushes, that the system starts at its `startAt` with the alert (iOS 26).
    ///
    /// - Returns: its instance; nil where the system schedules none, or none with this alert, as without an
    ///   implementation.
    func schedule(_ activity: WantedBody.Activity, alert: PushAlert) async throws(PhoneStartFailure) -> String?
    /// Puts the content on one that lives, and does nothing to another.
    ///
    /// From iOS 17.2 on the system orders it among pushes by `timestamp`, and ignores it after a newer one. Before, it is
    /// put on where the revision that is shown is not newer.
    func update(_ instance: String, to activity: WantedBody.Activity, timestamp: Int) async
    /// Ends one and removes it from the screen at once.
    func end(_ instance: String) async
}

extension PhoneActivities {
    /// Schedules no card, so that a push starts it.
    /// - Throws: nothing.
    public func schedule(_ activity: WantedBody.Activity, alert: PushAlert) async throws(PhoneStartFailure) -> String? {
        nil
    }
}

/// The owner's permission in Settings; it is separate from the permission for notifications.
public struct PhonePermission: Hashable, Sendable {
    public var activities: Bool
    /// Pushes more often than the system's standard.
    public var frequentPushes: Bool
    /// The app's own account of it; nil where the app knows no more than `activities`.
    public var account: ActivitiesPermission?

    public init(activities: Bool, frequentPushes: Bool, account: ActivitiesPermission? = nil) {
        self.activities = activities
        self.frequentPushes = frequentPushes
        self.account = account
    }
}

/// A Live Activity of this app.
public struct PhoneActivity: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case pending, active, stale, ended, dismissed

        var isLive: Bool {
            switch self {
            case .pending, .active, .stale: true
            case .ended, .dismissed: false
            }
        }
    }

    /// `Activity.id`.
    public let instance: String
    public let attributes: GroceryDeliveryAttributes
    public let revision: Revision
    public let state: State

    public init(instance: String, attributes: GroceryDeliveryAttributes, revision: Revision, state: State) {
        self.instance = instance
        self.attributes = attributes
        self.revision = revision
        self.state = state
    }
}

public enum PhoneActivityChange: Hashable, Sendable {
    case updateToken(Data)
    /// It shows content of this revision.
    case shown(Revision)
    case state(PhoneActivity.State)
}

/// Why no activity was started.
public struct PhoneStartFailure: Error, Hashable, Sendable {
    /// As `ActivityAuthorizationError` calls it, such as `denied`.
    public let code: String

    public init(code: String) { self.code = code }
}
