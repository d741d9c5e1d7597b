import Foundation
import LiveActivity

/// Keeps Doorstep and the Live Activities of this phone in step.
///
/// It registers the device, forwards its tokens and the owner's switches, reports the phone's cards, and ends cards on
/// Doorstep's request. While the app runs, it updates cards, in the foreground it starts wanted ones, and it presses
/// links.
/// Failed uploads are retried, only the newest of each kind.
///
/// An app makes one when it is launched, also in the background, and calls `run()` once.
public actor DoorstepDevice {
    let configuration: DeviceConfiguration
    let activities: any PhoneActivities
    let server: DeviceServer
    let time: DeviceTime
    let identities: any DeviceIdentityStore
    let onProblem: @Sendable (DoorstepProblem) -> Void
    private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    var pending = PendingUploads()
    /// The last known token of each instance that is observed, as it was first seen.
    var updateTokens: [String: PushTokenBody] = [:]
    /// Instances that this object ended: their removal from the screen is not a person's.
    var endedHere: Set<String> = []
    /// The revision that this object last put on each instance.
    var updatedHere: [String: Revision] = [:]
    /// The cards that this object scheduled and that have not started yet, by instance.
    var scheduledHere: [String: ScheduledStart] = [:]
    /// Activities whose cards the system is asked to start or to schedule.
    var starting: Set<String> = []
    /// The reported failure of each activity whose start fails, since the app came to the foreground.
    var failedStarts: [String: FailedStart] = [:]
    /// Activities whose cards a person has removed, or the system: an older answer may want them still.
    var dismissedHere: [String: DismissedCard] = [:]
    /// Calls that wait until everything is sent, or an attempt has failed; one finishes with its stream.
    var sendingWaits: [AsyncStream<Void>.Continuation] = []
    /// Whether `run()` sends what waits.
    private(set) var isSending = false
    private(set) var isInForeground = false
    /// The identity to store where there is none yet: calls at once make one.
    let newIdentity = DeviceIdentity()
    var identity: DeviceIdentity?
    /// Whether a registration is sent and not answered yet.
    var isRegistering = false
    /// Calls that wait until no registration is under way; one finishes with its stream.
    var registrationWaits: [AsyncStream<Void>.Continuation] = []
    private(set) var permission: PhonePermission
    private(set) var startToken: PushTokenBody?
    private var tokensSeen = 0
    /// Whether the customer has signed out, or one has signed in, since the launch; nil before either.
    private var hasSignedOut: Bool?
    private var signOuts = 0
    /// Rises with each sign-in and sign-out: a state that was wanted before is not shown after.
    private(set) var sessions = 0
    private var failures = 0
    private(set) var pause: Task<Void, Never>?

    /// - Parameters:
    ///   - token: returns the customer's token, a new one once the old has expired; called before each request.
    ///   - onProblem: called with each permanent refusal, a proxy's too, and each other answer that is not Doorstep's,
    ///     such as a network's page for signing in; never with 401, 408, 429 or 5xx, after which it tries again.
    public init(
        _ configuration: DeviceConfiguration, activities: some PhoneActivities,
        identities: some DeviceIdentityStore = DeviceIdentityFile(),
        http: some DeviceHTTPClient = URLSessionHTTPClient(), token: @escaping @Sendable () async throws -> String,
        onProblem: @escaping @Sendable (DoorstepProblem) -> Void = { _ in }
    ) {
        self.init(
            configuration, activities: activities, identities: identities, http: http, token: token,
            onProblem: onProblem, time: DeviceTime())
    }

    init(
        _ configuration: DeviceConfiguration, activities: any PhoneActivities, identities: any DeviceIdentityStore,
        http: any DeviceHTTPClient, token: @escaping @Sendable () async throws -> String,
        onProblem: @escaping @Sendable (DoorstepProblem) -> Void, time: DeviceTime
    ) {
        self.configuration = configuration
        self.activities = activities
        self.identities = identities
        self.onProblem = onProblem
        self.time = time
        server = DeviceServer(serverURL: configuration.serverURL, http: http, token: token)
        permission = activities.permission()
    }

    /// Registers the device and follows its activities, until the task is cancelled.
    ///
    /// To be called as soon as the app is launched: a push that starts a card launches the app in the background for a
    /// few seconds, and the card's update token comes then.
    public func run() async {
        isSending = true
        // Where it cannot be read, the registration tries again.
        _ = try? await knownIdentity()
        if !isSignedOut { pending.beginAnew() }
        let present = Set(activities.present().map(\.instance))
        // What a push did not bring while the app was away.
        if hasLiveCards { pending.needsWanted = true }
        wake()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followPermission() }
            group.addTask { await self.followStartTokens() }
            group.addTask { await self.sendPending() }
            group.addTask { await self.refreshCards() }
            var followed: Set<String> = []
            for await activity in activities.activities() where followed.insert(activity.instance).inserted {
                // A push or the app was about to start it when the customer signed out.
                if isSignedOut {
                    await end(activity.instance)
                    continue
                }
                if !present.contains(activity.instance) { reportStart(of: activity) }
                group.addTask { await self.follow(activity) }
            }
        }
    }

    /// Starts what is wanted and is not there, which costs none of the few starts that Apple gives a server, brings cards
    /// up to date, now and every `refreshInterval` of the configuration, and sends at once what waits.
    public func enteredForeground() {
        isInForeground = true
        failedStarts = [:]
        // The sequence of changes has been seen to miss some.
        note(activities.permission())
        if !pending.isRegistered || pending.isRegistrationRefused, mayRegister { pending.needsRegistration = true }
        // Only the app removes ended cards from the Lock Screen, once Doorstep requests it.
        if activities.present().contains(where: { $0.state == .ended }) { pending.needsInventory = true }
        pending.needsWanted = true
        attemptAtOnce()
    }

    /// Starts nothing from now on, which the system refuses in the background; `refresh()` still brings cards up to
    /// date.
    ///
    /// To be called once no scene of the app is in the foreground. Returns after ending the scheduled cards that
    /// Doorstep does not know yet: the system would start them even if their orders are cancelled.
    public func leftForeground() async {
        isInForeground = false
        await endUnconfirmed()
    }

    /// Registers the device as the customer's whose token is given from now on; another's cards on it end.
    public func signedIn() async {
        hasSignedOut = false
        sessions += 1
        failedStarts = [:]
        pending.beginAnew()
        if isInForeground { pending.needsWanted = true }
        attemptAtOnce()
        // Stored at once: the registration may wait for a request that hangs longer than the app runs.
        if identity != nil { await keep { $0.setSignedOut(false) } }
    }

    /// Ends every card and makes Doorstep start none, while the customer's token is still valid.
    ///
    /// It holds until `signedIn()`, also after a new launch of the app: once Doorstep has accepted it, the device
    /// uploads nothing until then. A registration that is being sent is answered first, since the last one holds: do not
    /// await it within a `DeviceHTTPClient` or a `DeviceIdentityStore`, which that registration waits for.
    ///
    /// - Throws: `DoorstepProblem` where Doorstep did not answer: it may start a card again, so try again. The device
    ///   tries again too, once the app comes to the foreground.
    public func signOut() async throws {
        hasSignedOut = true
        signOuts += 1
        sessions += 1
        pending = PendingUploads()
        dismissedHere = [:]
        for activity in activities.present() { await end(activity.instance) }
        _ = try await knownIdentity()
        // Stored at once, and due again where Doorstep may not have accepted a former one. A `signedIn()` meanwhile undoes
        // it.
        if isSignedOut { await keep { $0.setSignedOut(true) } }
        try await register()
    }

    // MARK: - What changes

    private func followPermission() async {
        for await permission in activities.permissions() { note(permission) }
    }

    private var hasLiveCards: Bool { activities.present().contains(where: \.state.isLive) }

    /// Asks again and again what is wanted while the app is in the foreground: the system may hold pushes back meanwhile,
    /// and the customer may order.
    private func refreshCards() async {
        guard let interval = configuration.refreshInterval else { return }
        while !Task.isCancelled {
            // Cancellation ends the loop.
            try? await time.sleep(interval)
            guard isInForeground, permission.activities || hasLiveCards, !isSignedOut else { continue }
            pending.needsWanted = true
            wake()
        }
    }

    func note(_ permission: PhonePermission) {
        guard permission != self.permission else { return }
        if permission.activities, !self.permission.activities { pending.dropRefusals() }
        self.permission = permission
        needRegistration()
    }

    private func followStartTokens() async {
        for await token in activities.startTokens() {
            guard startToken?.value != Self.hex(token) else { continue }
            startToken = pushToken(token)
            needRegistration()
        }
    }

    func pushToken(_ token: Data) -> PushTokenBody {
        tokensSeen += 1
        return PushTokenBody(
            value: Self.hex(token), environment: configuration.pushEnvironment, observedAt: time.now(),
            generation: tokensSeen)
    }

    static func hex(_ token: Data) -> String {
        token.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    func add(_ report: ReportBody) {
        guard !isSignedOut else { return }
        pending.add(report)
        wake()
    }

    var isSignedOut: Bool { hasSignedOut ?? identity?.isSignedOut ?? false }

    /// Whether the customer is signed in who was after this number of sign-ins and sign-outs.
    func isSignedIn(since sessions: Int) -> Bool { !isSignedOut && sessions == self.sessions }

    func end(_ instance: String) async {
        endedHere.insert(instance)
        await activities.end(instance)
    }

    func wake() { wakes.continuation.yield() }

    /// Sends what waits without the rest of a pause.
    func attemptAtOnce() {
        failures = 0
        pause?.cancel()
        pause = nil
        wake()
    }

    // MARK: - Sending

    private func sendPending() async {
        for await _ in wakes.stream {
            while !Task.isCancelled, let upload = pending.next() { await attempt(upload) }
            endSendingWaits()
        }
        isSending = false
        endSendingWaits()
    }

    private func attempt(_ upload: PendingUploads.Upload) async {
        let (signOuts, dismissed) = (self.signOuts, dismissals(in: upload))
        do throws(DoorstepProblem) {
            try await send(upload)
            confirm(dismissed)
            failures = 0
        } catch {
            // The cards of a report from before the sign-out are no longer on the screen, and `signOut()` registers.
            guard signOuts == self.signOuts else { return }
            // Doorstep has deleted the device and its cards: the device registers and reports its cards first.
            let isForgotten = error.type == "not-found" && upload != .registration
            if !error.isTransient, !isForgotten { onProblem(error) }
            guard error.isRetriable(upload) || isForgotten else {
                if upload == .registration { pending.isRegistrationRefused = true }
                return confirm(dismissed)
            }
            if isForgotten { pending.beginAnew() }
            pending.putBack(upload)
            failures += 1
            await wait(
                RetryDelay.after(
                    failures: failures, jitter: time.jitter(), retryAfterSeconds: error.retryAfterSeconds))
        }
    }

    private func send(_ upload: PendingUploads.Upload) async throws(DoorstepProblem) {
        switch upload {
        case .registration:
            // A sign-out is known from the identity alone where that could not be read at launch.
            _ = try await knownIdentity()
            if mayRegister { try await register() }
        case .reports(let reports, let hasInventory):
            let id = try await knownIdentity().id
            let all = (hasInventory ? inventory() : []) + reports
            let answer = try await server.report(all, of: id)
            confirm(all, kept: answer.kept)
            for instance in answer.ended { await end(instance) }
        case .wanted: try await showWanted()
        }
    }

    private func wait(_ delay: Duration) async {
        let sleep = time.sleep
        // Awaited here; a task of its own so that the foreground can cut it short.
        // Cancellation ends the sleep, and the loop that waits continues.
        let pause = Task<Void, Never> { try? await sleep(delay) }
        self.pause = pause
        endSendingWaits()
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        self.pause = nil
    }
}
