#if canImport(ActivityKit) && !os(macOS) && !targetEnvironment(macCatalyst)
    import ActivityKit
    public import Foundation
    public import LiveActivity

    /// ActivityKit, as `DoorstepDevice` uses it.
    ///
    /// `Activity` is not `Sendable`, so each task finds its own by id.
    @available(iOS 16.2, *)
    public struct ActivityKitActivities: PhoneActivities {
        typealias Card = Activity<GroceryDeliveryAttributes>

        let silentSound: String?
        private let account: @Sendable () -> ActivitiesPermission?

        /// - Parameters:
        ///   - silentSound: the name of a silent sound in the app's bundle, such as `silence.wav`: a card that is to
        ///     start without a sound is scheduled with it (iOS 26); without it a push starts the card.
        ///   - account: the app's own account of its owner's permission, called with each reading of the switches.
        public init(
            silentSound: String? = nil, account: @escaping @Sendable () -> ActivitiesPermission? = { nil }
        ) {
            self.silentSound = silentSound
            self.account = account
        }

        public func permission() -> PhonePermission {
            let info = ActivityAuthorizationInfo()
            return PhonePermission(
                activities: info.areActivitiesEnabled, frequentPushes: info.frequentPushesEnabled,
                account: account())
        }

        public func permissions() -> AsyncStream<PhonePermission> {
            stream { yield in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await _ in ActivityAuthorizationInfo().activityEnablementUpdates { yield(permission()) }
                    }
                    group.addTask {
                        for await _ in ActivityAuthorizationInfo().frequentPushEnablementUpdates {
                            yield(permission())
                        }
                    }
                }
            }
        }

        public func startTokens() -> AsyncStream<Data> {
            stream { yield in
                guard #available(iOS 17.2, *) else { return }
                // The sequence is known to stay silent about a token that is there already.
                if let token = Card.pushToStartToken { yield(token) }
                for await token in Card.pushToStartTokenUpdates { yield(token) }
            }
        }

        public func present() -> [PhoneActivity] { Card.activities.map(Self.value) }

        public func activities() -> AsyncStream<PhoneActivity> {
            stream { yield in
                for activity in Card.activities { yield(Self.value(activity)) }
                for await activity in Card.activityUpdates { yield(Self.value(activity)) }
            }
        }

        public func changes(of instance: String) -> AsyncStream<PhoneActivityChange> {
            stream { yield in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        guard let activity = Self.activity(instance) else { return }
                        if let token = activity.pushToken { yield(.updateToken(token)) }
                        for await token in activity.pushTokenUpdates { yield(.updateToken(token)) }
                    }
                    group.addTask {
                        guard let activity = Self.activity(instance) else { return }
                        for await content in activity.contentUpdates { yield(.shown(content.state.revision)) }
                    }
                    // The other sequences need not end with the activity.
                    guard let activity = Self.activity(instance) else { return group.cancelAll() }
                    for await state in activity.activityStateUpdates {
                        yield(.state(Self.value(state)))
                        if state == .dismissed { break }
                    }
                    group.cancelAll()
                }
            }
        }

        /// Starts a card that pushes update, and returns its instance.
        /// - Throws: `PhoneStartFailure`: ActivityKit's reason.
        public func start(_ wanted: WantedBody.Activity) async throws(PhoneStartFailure) -> String {
            do {
                return try Card.request(
                    attributes: wanted.attributes, content: Self.content(wanted), pushType: .token
                ).id
            } catch {
                throw PhoneStartFailure(code: Self.code(of: error))
            }
        }

        public func update(_ instance: String, to wanted: WantedBody.Activity, timestamp: Int) async {
            guard let activity = Self.activity(instance) else { return }
            if #available(iOS 17.2, *) {
                await activity.update(
                    Self.content(wanted), alertConfiguration: nil,
                    timestamp: Date(timeIntervalSince1970: TimeInterval(timestamp)))
            } else if activity.content.state.revision <= wanted.content.revision {
                await activity.update(Self.content(wanted))
            }
        }

        public func end(_ instance: String) async {
            await Self.activity(instance)?.end(nil, dismissalPolicy: .immediate)
        }

        static func content(
            _ wanted: WantedBody.Activity
        ) -> ActivityContent<GroceryDeliveryAttributes.ContentState> {
            ActivityContent(
                state: wanted.content, staleDate: Date(timeIntervalSince1970: TimeInterval(wanted.staleAt)),
                relevanceScore: wanted.relevance)
        }

        private static func activity(_ instance: String) -> Card? { Card.activities.first { $0.id == instance } }

        private static func value(_ activity: Card) -> PhoneActivity {
            PhoneActivity(
                instance: activity.id, attributes: activity.attributes, revision: activity.content.state.revision,
                state: value(activity.activityState))
        }

        private static func value(_ state: ActivityState) -> PhoneActivity.State {
            switch state {
            case .active: .active
            case .stale: .stale
            case .ended: .ended
            case .dismissed: .dismissed
            // `pending`, which SDKs before iOS 26 do not name.
            default: .pending
            }
        }

        static func code(of error: any Error) -> String {
            guard let error = error as? ActivityAuthorizationError else { return "unknown" }
            return codes[error] ?? "code-\(error.errorCode)"
        }

        private static let codes: [ActivityAuthorizationError: String] = [
            .attributesTooLarge: "attributesTooLarge", .unsupported: "unsupported", .denied: "denied",
            .globalMaximumExceeded: "globalMaximumExceeded", .targetMaximumExceeded: "targetMaximumExceeded",
            .unsupportedTarget: "unsupportedTarget", .visibility: "visibility",
            .persistenceFailure: "persistenceFailure", .missingProcessIdentifier: "missingProcessIdentifier",
            .unentitled: "unentitled", .malformedActivityIdentifier: "malformedActivityIdentifier",
            .reconnectNotPermitted: "reconnectNotPermitted",
        ]

        /// A stream of the elements of `produce`, which ends with it; the end of reading cancels it.
        private func stream<Element: Sendable>(
            _ produce: @escaping @Sendable (@escaping @Sendable (Element) -> Void) async -> Void
        ) -> AsyncStream<Element> {
            AsyncStream { continuation in
                // Ends with the stream: its reader waits for it.
                let task = Task {
                    await produce { continuation.yield($0) }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
#endif
