import Foundation
import LiveActivity
import PhoneRules
import Synchronization

/// The emulator's phones, indexed by id and by token.
final class PhoneFleet: Sendable {
    static let phonesMax = 20_000
    /// The number of deleted phones' tokens that are answered 410; older tokens count as unknown.
    private static let deletedTokensMax = 4096

    private struct Deleted {
        let environment: APNsEnvironment
        let topic: String
        let since: Int
    }

    private struct State {
        var phones: [String: FleetPhone] = [:]
        var owners: [String: String] = [:]
        var deleted: [String: Deleted] = [:]
        var deletedInOrder: [String] = []
    }

    private let state = Mutex(State())
    let clock: EmulatorClock
    /// Phones whose app has a service, as they are made; for one reader.
    let apps: AsyncStream<AppStart>
    private let startedApps: AsyncStream<AppStart>.Continuation

    /// An app to run: what it notices, until its phone is deleted.
    struct AppStart: Sendable {
        let phone: String
        let service: FleetPhone.AppService
        let notices: AsyncStream<AppNotice>
    }

    /// No phone has this id.
    struct NoSuchPhone: Error {
        let id: String
    }

    init(clock: EmulatorClock) {
        self.clock = clock
        (apps, startedApps) = AsyncStream.makeStream(of: AppStart.self)
    }

    // MARK: - Phones

    enum Addition { case added, exists, full }

    func add(_ phone: FleetPhone) -> Addition {
        let now = clock.now
        return state.withLock { state in
            guard state.phones[phone.id] == nil else { return .exists }
            guard state.phones.count < Self.phonesMax else { return .full }
            var phone = phone
            if let service = phone.service {
                let (notices, inbox) = AsyncStream.makeStream(
                    of: AppNotice.self, bufferingPolicy: .bufferingNewest(256))
                phone.inbox = inbox
                startedApps.yield(AppStart(phone: phone.id, service: service, notices: notices))
                inbox.yield(.launched)
            }
            state.phones[phone.id] = phone
            Self.settle([], of: phone.id, in: &state, at: now)
            return .added
        }
    }

    func remove(_ id: String) throws {
        let now = clock.now
        let removed = try state.withLock { state in
            guard let phone = state.phones.removeValue(forKey: id) else { throw NoSuchPhone(id: id) }
            for token in phone.phone.knownTokens {
                state.owners[token] = nil
                state.deleted[token] = Deleted(environment: phone.environment, topic: phone.topic, since: now)
                state.deletedInOrder.append(token)
            }
            while state.deletedInOrder.count > Self.deletedTokensMax {
                state.deleted[state.deletedInOrder.removeFirst()] = nil
            }
            return phone
        }
        Self.end(removed)
    }

    /// Ends a phone's streams; without the lock, since the end of an observation acquires it.
    private static func end(_ phone: FleetPhone) {
        phone.inbox?.finish()
        for observer in phone.observers.values { observer.finish() }
    }

    /// Every phone's id, sorted.
    var ids: [String] { state.withLock { $0.phones.keys.sorted() } }

    /// A phone as it is now, time passed.
    ///
    /// Reading is no change: those who observe it read it too.
    func phone(_ id: String) throws -> FleetPhone {
        let now = clock.now
        return try state.withLock { state in
            guard state.phones[id] != nil else { throw NoSuchPhone(id: id) }
            let effects = state.phones[id]!.phone.advance(to: now)
            if !effects.isEmpty { Self.settle(effects, of: id, in: &state, at: now) }
            return state.phones[id]!
        }
    }

    /// Does something to a phone.
    ///
    /// - Returns: the phone after it.
    @discardableResult
    func change(
        _ id: String, _ body: (inout PushedPhone, _ now: Int) throws -> [PhoneEffect]
    ) throws -> FleetPhone {
        let now = clock.now
        return try state.withLock { state in
            guard state.phones[id] != nil else { throw NoSuchPhone(id: id) }
            let effects = try body(&state.phones[id]!.phone, now)
            Self.settle(effects, of: id, in: &state, at: now)
            return state.phones[id]!
        }
    }

    func setAppError(_ error: String?, of id: String) {
        state.withLock { state in
            guard state.phones[id] != nil, state.phones[id]?.appError != error else { return }
            state.phones[id]?.appError = error
            for observer in state.phones[id]!.observers.values { observer.yield() }
        }
    }

    /// Lets time pass on every phone whose screen it changes.
    func tick() {
        let now = clock.now
        state.withLock { state in
            for (id, phone) in state.phones {
                guard let at = phone.nextChangeAt, at <= now else { continue }
                let effects = state.phones[id]!.phone.advance(to: now)
                Self.settle(effects, of: id, in: &state, at: now)
            }
        }
    }

    /// Yields at each change of a phone, and ends when it is deleted; changes that come together yield once.
    func changes(of id: String) throws -> AsyncStream<Void> {
        let (changes, observer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let key = UUID()
        try state.withLock { state in
            guard state.phones[id] != nil else { throw NoSuchPhone(id: id) }
            state.phones[id]?.observers[key] = observer
        }
        observer.onTermination = { [weak self] _ in
            self?.state.withLock { $0.phones[id]?.observers[key] = nil }
        }
        observer.yield()
        return changes
    }

    /// Ends every app and every observation: the process is asked to stop.
    func finish() {
        startedApps.finish()
        for phone in state.withLock({ Array($0.phones.values) }) { Self.end(phone) }
    }

    // MARK: - Pushes

    /// The phone of a token; nil for an unknown one.
    func owner(of token: String) -> String? { state.withLock { $0.owners[token] } }

    /// Hands a push to the phone of its token.
    ///
    /// - Throws: what Apple's service answers in place of 200.
    func push(
        _ push: PendingPush, envelope: PushEnvelope, topic: String, environment: APNsEnvironment
    ) throws(Refusal) {
        let now = clock.now
        let refusal: Refusal? = state.withLock { state in
            guard let id = state.owners[push.token], let place = state.phones.index(forKey: id) else {
                guard let deleted = state.deleted[push.token], deleted.environment == environment else {
                    return Refusal(.badDeviceToken)
                }
                guard deleted.topic == topic else { return Refusal(.deviceTokenNotForTopic) }
                return Refusal(.unregistered, since: deleted.since)
            }
            let (refusal, hasOtherTokens) = state.phones.values[place].receive(
                push, envelope: envelope, topic: topic, environment: environment, at: now)
            if hasOtherTokens { Self.indexTokens(of: id, in: &state, at: now) }
            return refusal
        }
        if let refusal { throw refusal }
    }

    // MARK: - Effects

    /// Writes down what happened, and passes on to the app and to observers what is theirs.
    private static func settle(_ effects: [PhoneEffect], of id: String, in state: inout State, at now: Int) {
        guard let place = state.phones.index(forKey: id) else { return }
        if state.phones.values[place].settle(effects, at: now) { indexTokens(of: id, in: &state, at: now) }
    }

    /// Indexes the present tokens of a phone as its own, and no others.
    private static func indexTokens(of id: String, in state: inout State, at now: Int) {
        guard let phone = state.phones[id]?.phone else { return }
        for (token, owner) in state.owners where owner == id && phone.status(of: token, at: now) == nil {
            state.owners[token] = nil
        }
        for token in phone.knownTokens { state.owners[token] = id }
    }
}
