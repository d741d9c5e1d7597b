import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import SeededRandom

@testable import ActivityDispatch

/// A random run of the reconciler under every fault at once: intents are shuffled, redelivered and dropped, processes
/// die between any two steps, results are lost, phones are offline, people swipe and sign in.
struct RandomizedRun {
    /// A push that was leased and whose result is not recorded yet.
    struct LeasedPush {
        let push: Push
        let device: DeviceID
        /// What Apple's service has answered; nil before it was sent.
        var answer: PushResult?
        var isSent: Bool { answer != nil }
    }

    var random: SeededGenerator
    var now = noon
    /// What the writers wrote last, and every intent that is not delivered yet.
    var written: [ActivityID: Activity] = [:]
    var intents: [Activity] = []
    var leasedPushes: [LeasedPush] = []
    /// What the service stores: it survives every crash.
    var activities: [ActivityID: Activity] = [:]
    var devices: [DeviceID: Device] = [:]
    var cards: [UUID: Card] = [:]
    var cardOrder: [UUID] = []
    var leases: [UUID: Date] = [:]

    var phones: [DeviceID: PhoneModel] = [:]
    /// Starts that never reached a phone, because their process died first.
    var lostStarts: Set<UUID> = []
    var ledger: [UUID: [(push: Push, state: Card.State)]] = [:]
    var violations: [String] = []
    /// Whether orders are of the emulated iPhone's world: for now and for later, one after another.
    let isEmulated: Bool
    /// When the card of each order for later is to start, epoch seconds.
    var startTimes: [ActivityID: Int] = [:]
    /// How many cards an app has scheduled.
    var scheduledCount = 0

    /// - Parameter isEmulated: whether an emulated iPhone decides what becomes of pushes to Apple's service.
    init(seed: UInt64, isEmulated: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.isEmulated = isEmulated
        for (number, transport) in [Device.Transport.apns, .stream].enumerated() {
            let device = Device.any("phone\(number)", transport)
            devices[device.id] = device
            phones[device.id] = PhoneModel()
            guard isEmulated, transport == .apns else { continue }
            let iPhone = EmulatedPhone(seed: seed, at: now)
            phones[device.id]!.iPhone = iPhone
            devices[device.id]!.pushToStartToken = iPhone.startToken
            devices[device.id]!.osVersion = OSVersion(iPhone.systemVersion)
        }
    }

    // MARK: - Steps

    mutating func step() {
        now += Double.random(in: 0...2, using: &random)
        if random.once(in: 40) { now += Double.random(in: 0...900, using: &random) }
        if random.once(in: 400) { now += Double.random(in: 0...4 * 3600, using: &random) }
        switch Int.random(in: 0..<(isEmulated ? 22 : 20), using: &random) {
        case 0..<4: write()
        case 4..<9: deliver()
        case 9..<14: reconcileAny()
        case 14..<18: advanceAnyPush()
        case 18: reportFromAny()
        case 19: actAsPerson()
        default: for id in devices.keys.sorted() { openApp(id) }
        }
    }

    private mutating func write() {
        let number = Int.random(in: 1...6, using: &random)
        let name = isEmulated ? orderName(number) : "a\(number)"
        let id = ActivityID(rawValue: name)!
        let customer = number == 6 ? "noor" : "mira"
        let last = written[id]?.wanted
        if last?.isEnd == true { return }
        let revision = last?.content.revision ?? .init(version: 0, step: 0)
        let isEstimate = random.once(in: 2) && revision.version > 0
        let version = isEstimate ? revision.version : revision.version + 1
        let step = isEstimate ? revision.step + 1 : 0
        let seconds = Int(now.timeIntervalSince1970)
        let wanted: ActivityStep
        if random.once(in: isEmulated ? 6 : 12) {
            wanted = .ends(version, step, activity: name, at: now, after: 900, alert: "end")
        } else {
            let phases: [LiveActivity.Phase] = [.picking, .packed, .onTheWay, .arriving]
            wanted = .shows(
                version, step, activity: name, phase: phases.randomElement(using: &random)!,
                arrival: random.once(in: 3) ? nil : seconds + Int.random(in: 0...3000, using: &random),
                startAt: isEmulated ? startTime(of: id) : seconds + (random.once(in: 3) ? 600 : 0),
                staleAt: max(seconds, startTimes[id] ?? 0) + 1200,
                alert: random.once(in: 3) ? "alert\(version % 4)" : nil, alertUntil: seconds + 300)
        }
        let activity =
            written[id].map { Activity(id: $0.id, customer: $0.customer, delivery: $0.delivery, wanted: wanted) }
            ?? Activity(wanted, id: name, customer: customer)
        written[id] = activity
        for _ in 0..<Int.random(in: 0...2, using: &random) { intents.append(activity) }
    }

    private mutating func deliver() {
        guard !intents.isEmpty else { return }
        apply(intents.remove(at: Int.random(in: 0..<intents.count, using: &random)))
    }

    mutating func apply(_ intent: Activity) {
        if var known = activities[intent.id] {
            _ = known.advance(to: intent.wanted)
            activities[intent.id] = known
        } else {
            activities[intent.id] = intent
        }
        devices.keys.sorted().forEach { makeCards(on: $0) }
    }

    private mutating func makeCards(on id: DeviceID) {
        let device = devices[id]!
        let known = cardOrder.compactMap { cards[$0] }.filter { $0.device == id }
        let live = activities.values.sorted { $0.id < $1.id }
        for missing in missingCards(of: live, on: device, cards: known) {
            var card = Card.any(of: missing.activity, on: device, id: nextID())
            card.replaces = missing.replaces
            insert(card)
        }
    }

    private mutating func nextID() -> UUID {
        let (a, b) = (random.next(), random.next())
        return UUID(
            uuid: withUnsafeBytes(of: (a, b)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    private mutating func insert(_ card: Card) {
        cards[card.id] = card
        cardOrder.append(card.id)
    }

    // MARK: - The service

    private mutating func reconcileAny() {
        guard let id = cardOrder.randomElement(using: &random) else { return }
        reconcile(id)
    }

    /// Reconciles one card in one transaction.
    ///
    /// - Returns: until when there is nothing to do for it; nil when something was done.
    @discardableResult
    mutating func reconcile(_ id: UUID) -> Date? {
        if let until = leases[id], until > now { return until }
        guard var card = cards[id], let activity = activities[card.activity], var device = devices[card.device]
        else { return .distantFuture }
        let limits = Limits.of(device)
        let others = cards.values.filter {
            $0.device == device.id && $0.id != id && ($0.state == .waiting || $0.state.isOnScreen)
        }.map { ActivityCard(activity: activities[$0.activity]!, card: $0) }
        let decision = decide(activity, card, on: device, others: others, limits: limits, now: now)
        switch decision {
        case .wait(let until, _): return until
        case .nothing: return .distantFuture
        case .close(let state):
            card.close(as: state)
            cards[id] = card
        case .withdrawStart:
            card.withdrawStart()
            device.starts.refund()
            cards[id] = card
            devices[device.id] = device
        case .rollOver:
            var next = Card.any(of: activity, on: device, id: nextID())
            next.replaces = id
            insert(next)
        case .start, .update, .end:
            let state = card.state
            guard var push = card.lease(decision, activity.wanted, limits: limits, now: now) else { return nil }
            if phones[device.id]!.iPhone != nil {
                push.token = push.event == .start ? device.pushToStartToken : card.updateToken
                do { try push.check() } catch { violations.append("a payload is not fit: \(error)") }
            }
            checkAndRecord(push, from: state)
            if push.event == .start { device.starts.spend(limits.starts, at: now) }
            devices[device.id] = device
            if limits.isStartCertain {
                // The push is the insert of a row that its device reads: leased and recorded in one transaction.
                _ = card.record(push, .accepted(), now: now)
                phones[device.id]!.show(push, replaced: replaced(by: id), at: now)
            } else {
                leases[id] = now + 30
                leasedPushes.append(LeasedPush(push: push, device: device.id))
            }
            cards[id] = card
        }
        return nil
    }

    private mutating func checkAndRecord(_ push: Push, from state: Card.State) {
        if let last = ledger[push.card]?.last?.push {
            if push.timestamp <= last.timestamp { violations.append("a timestamp did not rise") }
            // One whose token was gone when it was to have started by itself is started by push at once.
            let isInPlace = push.event == .start && last.event == .update
            if push.event != .end, !isInPlace, push.leasedAt.timeIntervalSince(last.leasedAt) < 1 {
                violations.append("two pushes within a second")
            }
        }
        let successors = cards.values.filter { $0.replaces == push.card }
        if push.event == .end, push.becomes == .replaced, state.isOnScreen,
            !successors.contains(where: { $0.state == .active || $0.state == .waiting })
        {
            violations.append("a card was taken from an open order")
        }
        ledger[push.card, default: []].append((push, state))
    }

    /// Advances a push: it is sent, its result is recorded, or its process dies.
    private mutating func advanceAnyPush() {
        guard let index = leasedPushes.indices.randomElement(using: &random) else { return }
        let leased = leasedPushes[index]
        if random.once(in: 8) {
            if !leased.isSent, leased.push.event == .start { lostStarts.insert(leased.push.card) }
            leasedPushes.remove(at: index)
        } else if !leased.isSent, leased.push.event == .start, now >= leased.push.leasedAt + 30 {
            // A process gives a push up whose lease is over.
            leasedPushes.remove(at: index)
            record(leased, .notSent("its turn came too late"))
        } else if !leased.isSent, !handOver(leased.push) {
            leasedPushes.remove(at: index)
        } else if !leased.isSent {
            leasedPushes[index].answer = .accepted()
            if random.once(in: 8) {
                leasedPushes.remove(at: index)
                record(leased, .refused(reason: "InternalServerError"))
            } else {
                leasedPushes[index].answer = send(leased)
            }
        } else {
            leasedPushes.remove(at: index)
            record(leased, random.once(in: 10) ? .unknown("reset") : leased.answer ?? .accepted())
        }
    }

    /// - Returns: what Apple's service answers.
    mutating func send(_ leased: LeasedPush) -> PushResult {
        phones[leased.device]!.receive(
            leased.push, to: cards[leased.push.card]!, replaced: replaced(by: leased.push.card), at: now)
    }

    /// - Returns: false where another process has taken it back meanwhile.
    private mutating func handOver(_ push: Push) -> Bool {
        guard cards[push.card]?.fencingToken == push.fencingToken, cards[push.card]?.inFlight != nil else {
            return false
        }
        cards[push.card]!.inFlight!.isHandedOver = true
        return true
    }

    /// The cards that one replaces: they may be on the screen for a moment more.
    func replaced(by id: UUID) -> Set<UUID> {
        var found: Set<UUID> = []
        var next = cards[id]?.replaces
        while let id = next {
            found.insert(id)
            next = cards[id]?.replaces
        }
        return found
    }

    mutating func record(_ leased: LeasedPush, _ result: PushResult) {
        guard var card = cards[leased.push.card], card.record(leased.push, result, now: now) else { return }
        cards[card.id] = card
        leases[card.id] = nil
        if leased.push.event == .start { devices[leased.device]!.recordStart(result, now: now) }
    }

    // MARK: - The people and their phones

    private mutating func actAsPerson() {
        let id = devices.keys.sorted().randomElement(using: &random)!
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: phones[id]!.goOffline(at: now)
        case 4..<10: phones[id]!.comeOnline(at: now)
        case 10: swipe(id)
        default:
            devices[id]!.customer = CustomerID(rawValue: random.once(in: 3) ? "noor" : "mira")!
            makeCards(on: id)
            // The app runs when a customer signs in.
            endUnwanted(id)
        }
    }

    private mutating func swipe(_ device: DeviceID) {
        phones[device]!.advance(to: now)
        let shown = phones[device]!.cards.filter { $0.value.isActive(at: now) }.keys.sorted {
            $0.uuidString < $1.uuidString
        }
        guard let id = shown.randomElement(using: &random), phones[device]!.isOnline else { return }
        phones[device]!.swipe(id, at: now)
        cards[id]!.apply(.dismissed, at: now)
    }

    private mutating func reportFromAny() {
        guard let id = devices.keys.sorted().randomElement(using: &random), phones[id]!.isOnline else { return }
        if random.once(in: 3) { return }
        report(id)
    }

    /// An app reports everything that it sees, as it does when it is opened, and ends what it is told to end.
    mutating func report(_ id: DeviceID) {
        let seen = phones[id]!.seen(at: now)
        let shown = phones[id]!.cards.filter { !$0.value.isSwiped }.sorted { $0.key.uuidString < $1.key.uuidString }
        for (card, shown) in shown where !shown.isActive(at: now) { phones[id]!.cards[card]!.isReportedEnded = true }
        let known = cardOrder.compactMap { cards[$0] }.filter { $0.device == id }
        // One for each card that is missing at most; random ones would make the run another each time.
        var newIDs = known.map { _ in nextID() } + shown.map { _ in nextID() }
        var reported = ReportedCards(
            device: devices[id]!, cards: known, activities: activities, limits: .of(devices[id]!), now: now,
            newID: { newIDs.removeLast() })
        reported.apply(DeviceReport(content: .inventory(seen)))
        for one in seen where one.state == .pending {
            guard let token = phones[id]!.iPhone?.updateToken(of: one.instance) else { continue }
            reported.apply(
                DeviceReport(
                    card: one.card, instance: one.instance, activity: one.activity,
                    content: .card(.pending(startAt: nil)), updateToken: token))
        }
        for one in seen where one.state == .active {
            let token = phones[id]!.iPhone.map { $0.updateToken(of: one.instance) } ?? "cd"
            reported.apply(
                DeviceReport(
                    card: one.card, instance: phones[id]!.iPhone == nil ? nil : one.instance,
                    content: .card(.started(updateToken: token))))
        }
        keep(reported)
        for answer in reported.answers where answer.action == .end {
            phones[id]!.endFromApp(answer.instance, at: now)
        }
        endUnwanted(id)
    }
}
