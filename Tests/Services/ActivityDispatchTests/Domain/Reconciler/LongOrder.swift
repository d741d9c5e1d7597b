import FlowControl
import Foundation
import LiveActivity
import Messages
import PhoneRules
import SeededRandom
import WireCoding

@testable import ActivityDispatch

/// One order that stays open for thirteen hours, on one emulated iPhone: its app is killed and opened, its reports come
/// late or never, its tokens come late, and starts get lost.
///
/// Only what Apple and the app do fails here; the service runs all the time.
struct LongOrder {
    /// Reports of one request, on their way to the service.
    private struct Mail {
        let at: Date
        let reports: [DeviceReport]
        var asksForWanted = false
    }

    private(set) var now = noon
    private(set) var cards: [Card] = []
    private(set) var hasSwiped = false
    private(set) var violations: [String] = []
    /// What was met, so that a test can say that the run met it.
    private(set) var met: Set<String> = []
    private var random: SeededGenerator
    private var device = Device.any()
    private var activity = Activity(.shows(1))
    private var phone: PushedPhone
    private var mails: [Mail] = []
    private var dueAt: Date? = noon
    private var writtenAt = noon
    private var version = 1
    /// Our id of the first card, once the service has the token that updates it.
    private var firstUpdatable: (card: UUID, since: Date)?
    private let swipeAt: Date?
    private let isAppKilledLate: Bool
    private let isForceQuit: Bool
    private let losesFirstStart: Bool
    /// Whether the order's owner looks at last, with a good network.
    private var isOpened = false

    /// - Parameter losesFirstStart: whether Apple's service loses the first start too, so that no report names its card.
    init(seed: UInt64, losesFirstStart: Bool = false) {
        self.losesFirstStart = losesFirstStart
        random = SeededGenerator(seed: seed)
        var settings = PushedPhone.Settings(
            osVersion: .inputPushToken, bundleID: "shop.nordhavn.app", tokenSeed: seed)
        settings.tokenDelaySeconds = [0, 0, 5, 1800].randomElement(using: &random) ?? 0
        phone = PushedPhone(settings, at: noon.epochSeconds)
        device.pushToStartToken = phone.startToken.map(PushToken.init(stringLiteral:))
        swipeAt = random.once(in: 4) ? noon + Double.random(in: 600...12.5 * 3600, using: &random) : nil
        isAppKilledLate = random.once(in: 3)
        isForceQuit = random.once(in: 2)
        let limits = Limits.of(device)
        cards = [
            Card(
                id: nextID(), activity: activity.id, device: device.id,
                urgentPushes: TokenBucket(limits.urgentPushes, at: now))
        ]
    }

    private mutating func nextID() -> UUID {
        let (a, b) = (random.next(), random.next())
        return UUID(uuid: withUnsafeBytes(of: (a, b)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    // MARK: - Time

    mutating func run(hours: Double) {
        let end = noon + hours * 3600
        while now < end {
            now += Double.random(in: 1...30, using: &random)
            notice(phone.advance(to: now.epochSeconds))
            if now > writtenAt + 600, random.once(in: 60) { write() }
            act()
            deliverMail()
            reconcile()
            checkScreen()
        }
    }

    /// The order's owner opens the app, and everything that is on its way arrives.
    mutating func openApp() {
        isOpened = true
        notice(phone.killApp(at: now.epochSeconds))
        notice(phone.launchApp(at: now.epochSeconds))
        for _ in 0..<40 {
            now += 5
            notice(phone.advance(to: now.epochSeconds))
            deliverMail()
            reconcile()
        }
    }

    /// What the Lock Screen says of the order, of cards that live.
    var shown: [Revision] { liveCards.map(\.content.revision) }

    var wanted: Revision { activity.wanted.content.revision }

    private var liveCards: [AppActivity] { phone.activities.filter(\.state.isLive) }

    private mutating func write() {
        version += 1
        writtenAt = now
        let phases: [LiveActivity.Phase] = [.picking, .packed, .onTheWay, .arriving]
        _ = activity.advance(
            to: .shows(version, phase: phases[version % 4], staleAt: now.epochSeconds + 4 * 3600))
        dueAt = now
    }

    // MARK: - The owner and the app

    private mutating func act() {
        let isRunning = phone.isAppRunning(at: now.epochSeconds)
        if isAppKilledLate {
            // Killed before the card is replaced, and not opened any more.
            if now > noon + 7 * 3600, isRunning, case .running = phone.app {
                notice(
                    isForceQuit
                        ? phone.forceQuitApp(at: now.epochSeconds) : phone.killApp(at: now.epochSeconds))
                mails = []
                met.insert(isForceQuit ? "force-quit" : "killed")
            }
        } else if isRunning, random.once(in: 400) {
            // What waits in the app's memory is lost with it.
            notice(phone.killApp(at: now.epochSeconds))
            mails = []
            met.insert("killed")
        } else if !isRunning, random.once(in: 200) {
            notice(phone.launchApp(at: now.epochSeconds))
        }
        if let swipeAt, now >= swipeAt, !hasSwiped, let one = phone.activities.first(where: { $0.state != .dismissed })
        {
            hasSwiped = true
            notice(phone.swipe(instance: one.instance, at: now.epochSeconds))
        }
    }

    /// The app reports what it notices, by the phone's clock, and its reports may be late or lost.
    private mutating func notice(_ effects: [PhoneEffect]) {
        var screen: CardEvent?
        for effect in effects {
            switch effect {
            case .screen(let event): screen = event
            case .settled: break
            case .app(.launched): post(inventory(), asksForWanted: phone.app == .running)
            case .app(.registrationChanged), .app(.leftForeground), .app(.pressed): break
            case .app(.updateToken(let instance)):
                if let one = phone.activity(instance) { post([started(one)]) }
            case .app(.started(let instance)), .app(.content(let instance)), .app(.state(let instance)):
                guard let event = screen, event.card.id == instance, let one = phone.activity(instance) else {
                    continue
                }
                post([report(one, of: event)])
            }
        }
    }

    private mutating func post(_ reports: [DeviceReport], asksForWanted: Bool = false) {
        if !isOpened, random.once(in: 10), !asksForWanted {
            met.insert("lost report")
            return
        }
        let delays: [TimeInterval] = isOpened ? [0.5] : [0.5, 0.5, 0.5, 60, 240, 1800]
        let delay = delays.randomElement(using: &random) ?? 0
        if delay > 1 { met.insert("late report") }
        mails.append(Mail(at: now + (asksForWanted ? 0.5 : delay), reports: reports, asksForWanted: asksForWanted))
    }

    private func report(_ one: AppActivity, of event: CardEvent) -> DeviceReport {
        let content: CardReport
        switch event.kind {
        case .start: return started(one)
        case .update: content = .shown(event.card.content.revision)
        case .stale: content = .stale
        case .end: content = .ended
        case .dismissed: content = .dismissed
        }
        var report = DeviceReport(
            card: one.attributes.card.flatMap(UUID.init), instance: one.instance, activity: activity.id,
            content: .card(content))
        report.revision = event.card.content.revision
        report.at = Date(timeIntervalSince1970: TimeInterval(event.at))
        return report
    }

    private func started(_ one: AppActivity) -> DeviceReport {
        var report = DeviceReport(
            card: one.attributes.card.flatMap(UUID.init), instance: one.instance, activity: activity.id,
            content: .card(.started(updateToken: one.updateToken.map(PushToken.init(stringLiteral:)))))
        report.revision = one.content.revision
        report.at = now
        return report
    }

    private func inventory() -> [DeviceReport] {
        let seen = phone.activities.map { one in
            DeviceReport.SeenInstance(
                instance: one.instance, card: one.attributes.card.flatMap(UUID.init), activity: activity.id,
                revision: one.content.revision, state: one.state.isLive ? .active : .ended)
        }
        let tokens = liveCards.filter { $0.updateToken != nil }.map(started)
        return [DeviceReport(content: .inventory(seen), at: now)] + tokens
    }

    // MARK: - The service

    private mutating func deliverMail() {
        let arrived = mails.filter { $0.at <= now }
        mails.removeAll { $0.at <= now }
        for mail in arrived {
            let before = cards
            var newIDs = (0..<20).map { _ in nextID() }
            var reported = ReportedCards(
                device: device, cards: cards, activities: [activity.id: activity], limits: .apns, now: now,
                newID: { newIDs.removeLast() })
            for report in mail.reports { reported.apply(report) }
            cards = reported.cards
            device = reported.device
            dueAt = now
            for answer in reported.answers where answer.action == .end && phone.isAppRunning(at: now.epochSeconds) {
                notice(phone.endFromApp(instance: answer.instance, at: now.epochSeconds))
            }
            let swiped = cards.contains { card in
                card.state == .swiped && before.first { $0.id == card.id }?.state != .swiped
            }
            if swiped, !hasSwiped { violations.append("nobody swiped a card at \(hour), and one counts as swiped") }
            if firstUpdatable == nil, let first = cards.first, first.state == .active, first.updateToken != nil {
                firstUpdatable = (first.id, now)
            }
            if mail.asksForWanted { startWanted() }
        }
    }

    /// The app in the foreground starts what is wanted and not on the screen.
    private mutating func startWanted() {
        guard case .running = phone.app else { return }
        for one in wantedActivities(of: [activity], on: device, cards: cards, limits: .apns, now: now)
        where !liveCards.contains(where: { $0.attributes.activity == one.id.rawValue }) {
            guard let effects = try? phone.startFromApp(one.shown, at: now.epochSeconds) else { continue }
            met.insert("started by the app")
            notice(effects)
        }
    }

    private mutating func reconcile() {
        while let due = dueAt, due <= now {
            var newIDs = (0..<8).map { _ in nextID() }
            let known = cards
            let open = known.filter { card in
                card.state.isOpen || card.endRepeatAt != nil
            }.map { ActivityCard(activity: activity, card: $0) }
            var run = DeviceReconciliation(device: device, cards: open, limits: .apns, now: now)
            run.run(leased: [], newID: { newIDs.removeLast() }) { _ in nil }
            device = run.device
            for one in run.cards { store(one.card) }
            dueAt = run.dueAt.map { max($0, now + 1) }
            for push in run.pushes { send(push) }
        }
    }

    private mutating func store(_ card: Card) {
        if let index = cards.firstIndex(where: { $0.id == card.id }) { cards[index] = card } else { cards.append(card) }
    }

    /// A start may be taken by Apple's service and never arrive; every other push arrives.
    private mutating func send(_ push: Push) {
        guard var card = cards.first(where: { $0.id == push.card }) else { return }
        var result = PushResult.accepted()
        let isLost = push.event == .start && (cards.count > 1 ? random.once(in: 4) : losesFirstStart)
        if isLost { met.insert("lost start") }
        if let token = push.token?.value, let bytes = push.checkedBytes {
            switch phone.status(of: token, at: now.epochSeconds) {
            case .valid:
                if !isLost {
                    let pending = PendingPush(
                        id: "\(push.card) \(push.timestamp)", token: token, priority: push.priority.rawValue,
                        expiration: push.expiration(of: card), bytes: bytes)
                    notice(phone.deliver(pending, at: now.epochSeconds))
                }
            case .expired(let since), .unregistered(let since):
                result = .gone(token: token, since: Date(timeIntervalSince1970: TimeInterval(since)))
            case nil: result = .gone(token: token)
            }
        }
        if push.becomes == .replaced { met.insert("replaced") }
        let hadSlot = card.hasSlot
        _ = card.record(push, result, now: now)
        device.record(push, result, hadSlot: hadSlot, now: now)
        store(card)
        dueAt = min(dueAt ?? now + 1, now + 1)
    }

    // MARK: - What must hold

    private var hour: String { "\(Int(now.timeIntervalSince(noon)) / 60) min" }

    /// While the first card lives, and can be changed, the Lock Screen is never behind for more than a minute, its last
    /// word included: no other card takes its place that is.
    private mutating func checkScreen() {
        guard let firstUpdatable, now > max(writtenAt, firstUpdatable.since) + 60, !hasSwiped,
            let startedAt = cards.first?.startedAt, now < startedAt + Limits.systemActiveMax - 1
        else { return }
        if !shown.contains(wanted) {
            violations.append("the Lock Screen shows \(shown.map(\.version)) of \(wanted.version) at \(hour)")
        }
    }
}
