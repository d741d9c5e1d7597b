import FlowControl
import Foundation
import LiveActivity
import Messages

/// A device's cards while the reports of its app are applied to them.
///
/// A report is about the card that it names, else about the card whose instance it names, else about the only open card
/// of its activity. Where several cards are open, as in a roll-over, the report changes none of them.
struct ReportedCards {
    typealias Answer = ReportsTakenBody.Instance

    /// The service's record of a reported instance.
    enum Subject {
        /// - Parameter endedWith: the revision that it shows, where it has ended on the phone.
        case card(UUID, endedWith: Revision? = nil)
        /// A second instance of a card, or of an activity that has its card.
        case duplicate
        case unknown(ActivityID?)
    }

    private(set) var device: Device
    /// All of the device's, closed ones included, oldest first; new ones at the end.
    private(set) var cards: [Card]
    private(set) var accepted = 0
    private(set) var unknown = 0
    /// The app's observations, in the order of its reports.
    private(set) var observations: [CardObservation] = []
    /// The subjects, in the order of the reports.
    private(set) var subjects: [(instance: String, subject: Subject)] = []
    let activities: [ActivityID: Activity]
    private let foreignCards: Set<UUID>
    let limits: Limits
    let now: Date
    private let newID: () -> UUID

    /// The number of cards of one activity on one device above which reports claim no further card.
    ///
    /// More than a delivery of two days needs with its roll-overs and a few swipes.
    static let claimsPerActivityMax = 12
    /// Cards of one activity above which a missing one has no successor.
    static let cardsPerActivityMax = 24

    /// - Parameters:
    ///   - activities: those of the reports, and those of cards whose instances the reports name.
    ///   - foreignCards: other devices' cards among the reports' ids.
    init(
        device: Device, cards: [Card], activities: [ActivityID: Activity], foreignCards: Set<UUID> = [], limits: Limits,
        now: Date, newID: @escaping () -> UUID
    ) {
        self.device = device
        self.cards = cards
        self.activities = activities
        self.foreignCards = foreignCards
        self.limits = limits
        self.now = now
        self.newID = newID
    }

    mutating func apply(_ report: DeviceReport) {
        let isAccepted =
            switch report.content {
            case .card(.pending(let startAt)): applyPending(startAt, report)
            case .card(let content): apply(content, report)
            case .failed(let code): applyFailure(code, report)
            case .inventory(let seen): applyInventory(seen, at: min(report.at ?? now, now))
            }
        if isAccepted { accepted += 1 } else { unknown += 1 }
    }

    // MARK: - One card

    /// - Returns: whether it is about a card that is known.
    private mutating func apply(_ content: CardReport, _ report: DeviceReport) -> Bool {
        switch target(report.card, report.instance, report.activity, isStart: report.isStart) {
        case .card(let index):
            note(report.instance, .card(cards[index].id, endedWith: content == .ended ? report.revision : nil))
            // A pending instance whose token never came was on no screen, and is not the one that a push starts.
            let mayBeShown = cards[index].mayBeShown(as: report.instance, until: report.at)
            if !content.isEnd || mayBeShown { change(index, content, report) }
            return true
        case .duplicate:
            note(report.instance, .duplicate)
            return false
        case .none:
            guard report.isStart, let index = claim(report.card, report.activity) else {
                note(report.instance, .unknown(report.activity))
                return false
            }
            note(report.instance, .card(cards[index].id))
            change(index, content, report)
            return true
        }
    }

    /// Applies that the app has scheduled a card, once its token is known: without the token no push could end it.
    ///
    /// - Returns: whether it is about a card that is known.
    private mutating func applyPending(_ startAt: Date?, _ report: DeviceReport) -> Bool {
        guard let instance = report.instance,
            case .card(let index) = target(report.card, instance, report.activity, isStart: false),
            cards[index].state == .waiting || cards[index].instance == instance
        else {
            note(report.instance, .duplicate)
            return false
        }
        note(instance, .card(cards[index].id))
        guard let token = report.updateToken else { return true }
        if let startAt {
            cards[index].schedule(instance, at: startAt, token: token)
        } else if cards[index].instance == instance {
            cards[index].accept(token)
        }
        return true
    }

    private mutating func change(_ index: Int, _ content: CardReport, _ report: DeviceReport) {
        if cards[index].instance == nil { cards[index].instance = report.instance }
        let before = cards[index]
        if content == .ended || content.isEnd && before.hasSlot(limits, at: now) { device.slotFreed() }
        noteObservation(content, report, of: before)
        let isReplaced = cards.contains { $0.replaces == before.id && $0.state == .active }
        if let token = report.updateToken { cards[index].accept(token) }
        if content.showsTokenOf(report) { find(index) }
        cards[index].apply(
            content, at: now, happenedAt: report.at, isReplaced: isReplaced, isSwitchedOff: !device.isEnabled,
            losesPushes: limits.losesPushes)
        if let revision = report.revision, report.isStart {
            cards[index].apply(.shown(revision), at: now, losesPushes: limits.losesPushes)
        }
        if let revision = report.revision, report.isUpdatedByApp { cards[index].noteUpdateByApp(revision) }
        if let revision = report.revision, content == .ended { cards[index].noteShown(revision) }
        if cards[index].state == .swiped, before.state != .swiped { removeOthers(of: before.activity) }
        closeReplaced(index, since: before)
        // It comes back once its owner switches Live Activities on again.
        let isLost = cards[index].state == .lost && before.state != .lost || returnsWithPermission(cards[index])
        if content == .dismissed, isLost { startAgain(cards[index]) }
    }

    /// Closes a card that was scheduled and has left the phone, where it has a replacement.
    private mutating func closeReplaced(_ index: Int, since before: Card) {
        guard before.isScheduled, cards[index].isUnscheduled, cards.contains(where: { $0.replaces == before.id })
        else { return }
        cards[index].state = .replaced
    }

    private mutating func noteObservation(_ content: CardReport, _ report: DeviceReport, of card: Card) {
        let revision: Revision?
        switch content {
        case .shown(let shown): revision = shown ?? report.revision
        case .dismissed where report.revision == nil: return
        case .started, .pending, .stale, .ended, .dismissed: revision = report.revision
        }
        observations.append(
            CardObservation(
                card: card.id, revision: revision, at: min(report.at ?? now, now), former: card.shown,
                isUpdatedByApp: report.isUpdatedByApp))
    }

    /// A swiped card does not come back as its replacement.
    private mutating func removeOthers(of activity: ActivityID) {
        for index in cards.indices where cards[index].activity == activity {
            switch cards[index].state {
            case .waiting where cards[index].isScheduled: cards[index].mustEnd = true
            case .waiting: cards[index].state = .swiped
            case .starting: cards[index].mustEnd = true
            // A card that the system has ended has no successor.
            case .ended: if cards[index].sent.map({ !$0.isEnd }) ?? true { cards[index].state = .swiped }
            case .active, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        }
    }

    /// Restores a card that counted as lost, unless another of its activity is on the screen; a waiting replacement is
    /// dropped.
    private mutating func find(_ index: Int) {
        let card = cards[index]
        guard card.state == .lost, !hasActiveDuplicate(card) else { return }
        cards[index].find()
        for other in cards.indices where other != index && cards[other].activity == card.activity {
            switch cards[other].state {
            case .waiting where cards[other].isScheduled: cards[other].mustEnd = true
            case .waiting, .starting: cards[other].state = .lost
            case .active, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        }
    }

    private enum Target {
        case card(Int)
        /// A second instance of a card.
        case duplicate(of: Int)
        case none
    }

    private func target(_ card: UUID?, _ instance: String?, _ activity: ActivityID?, isStart: Bool) -> Target {
        if let card, let index = cards.firstIndex(where: { $0.id == card }) {
            guard let instance, let own = cards[index].instance, own != instance else { return .card(index) }
            return .duplicate(of: index)
        }
        if let instance, let index = cards.lastIndex(where: { $0.instance == instance }) { return .card(index) }
        guard let activity, card == nil || isStart else { return .none }
        let open = cards.indices.filter { cards[$0].activity == activity && cards[$0].state.isOpen }
        let free = open.filter { instance == nil || cards[$0].instance == nil }
        if free.count == 1 { return .card(free[0]) }
        if free.isEmpty, isStart, let shown = open.first(where: { cards[$0].state.isOnScreen }) {
            return .duplicate(of: shown)
        }
        guard open.isEmpty, isStart, let newest = cards.lastIndex(where: { $0.activity == activity }),
            cards[newest].state == .lost, !cards.hasLostStart(of: activity, limits: limits, now: now)
        else { return .none }
        return .card(newest)
    }

    /// A card that the app started by itself: the report claims the activity's start on this device.
    ///
    /// An app chooses its cards' ids; an id of another device's card stays that device's.
    /// - Returns: nil where the claim is refused: of an activity that is not the customer's, one that has an open card
    ///   here or is past its dismissal, and beyond the device's limits.
    private mutating func claim(_ id: UUID?, _ activity: ActivityID?) -> Int? {
        guard let activity = activity.flatMap({ activities[$0] }), device.mayShow(activity), !isOver(activity),
            !cards.contains(where: { $0.activity == activity.id && $0.state.isOpen }),
            cards.count(where: { $0.hasSlot(limits, at: now) }) < limits.cardsPerDeviceMax,
            cards.count(where: { $0.activity == activity.id }) < Self.claimsPerActivityMax
        else { return nil }
        let isFree = id.map { !foreignCards.contains($0) } ?? false
        cards.append(
            Card(
                id: isFree ? id ?? newID() : newID(), activity: activity.id, device: device.id,
                urgentPushes: TokenBucket(limits.urgentPushes, at: now)))
        return cards.count - 1
    }

    // MARK: - The whole device

    /// - Returns: whether it is about a card that is known.
    private mutating func applyFailure(_ code: String, _ report: DeviceReport) -> Bool {
        device.startFailed(code, at: now, failedAt: report.at)
        if case .card = target(report.card, report.instance, report.activity, isStart: false) { return true }
        return false
    }

    private mutating func applyInventory(_ seen: [DeviceReport.SeenInstance], at seenAt: Date) -> Bool {
        var found: Set<UUID> = []
        let instances = Set(seen.map(\.instance))
        for one in seen {
            if let index = applySeen(one, among: instances, at: seenAt) { found.insert(cards[index].id) }
        }
        for index in cards.indices where !found.contains(cards[index].id) {
            let before = cards[index]
            let isLost = cards[index].applyMissing(seenAt: seenAt, isSwitchedOff: !device.isEnabled)
            if isLost || returnsAtInventory(cards[index]) { startAgain(cards[index]) }
            closeReplaced(index, since: before)
        }
        return true
    }

    /// Adds a successor of a missing card, unless its activity has another; past alerts do not repeat.
    ///
    /// An ended card does not count as another: the system ends a card at eight hours, and its successor may be
    /// missing.
    private mutating func startAgain(_ missing: Card) {
        let hasAnother = cards.contains { $0.activity == missing.activity && $0.state.isOpen && $0.state != .ended }
        let isBounded = cards.count(where: { $0.activity == missing.activity }) < Self.cardsPerActivityMax
        guard !missing.mustEnd, !hasAnother, isBounded else { return }
        var card = Card(
            id: newID(), activity: missing.activity, device: device.id, urgentPushes: missing.urgentPushes)
        card.alertedIDs = missing.alertedIDs
        cards.append(card)
    }

    /// - Parameter instances: all that the app sees.
    /// - Returns: the card that it is of.
    private mutating func applySeen(
        _ seen: DeviceReport.SeenInstance, among instances: Set<String>, at seenAt: Date
    ) -> Int? {
        let index: Int
        if seen.state == .pending { return applySeenPending(seen) }
        switch target(seen.card, seen.instance, seen.activity, isStart: true) {
        case .card(let known) where seen.state == .ended && cards[known].isUnscheduled:
            note(seen.instance, .unknown(seen.activity))
            return nil
        case .card(let known): index = known
        case .duplicate(let known) where isLeft(seen, of: cards[known], among: instances, at: seenAt):
            cards[known].adopt(seen.instance)
            find(known)
            index = known
        case .duplicate:
            note(seen.instance, .duplicate)
            return nil
        case .none:
            guard seen.state != .ended, let claimed = claim(seen.card, seen.activity) else {
                note(seen.instance, .unknown(seen.activity))
                return nil
            }
            index = claimed
        }
        note(seen.instance, .card(cards[index].id, endedWith: seen.state == .ended ? seen.revision : nil))
        if cards[index].instance == nil { cards[index].instance = seen.instance }
        observations.append(
            CardObservation(
                card: cards[index].id, revision: seen.revision, at: seenAt, former: cards[index].shown,
                isUpdatedByApp: seen.isUpdatedByApp))
        if seen.isUpdatedByApp { cards[index].noteUpdateByApp(seen.revision) }
        switch seen.state {
        case .pending: break
        case .active, .stale:
            cards[index].applySeenLive(seen.revision, at: now, losesPushes: limits.losesPushes)
        case .ended:
            cards[index].apply(.ended, at: now, happenedAt: seenAt)
            cards[index].noteShown(seen.revision)
            if isLostAndNewest(cards[index]) { startAgain(cards[index]) }
        }
        return index
    }

    /// A pending instance claims no card: it is kept where its report may still arrive.
    private mutating func applySeenPending(_ seen: DeviceReport.SeenInstance) -> Int? {
        guard let index = cards.firstIndex(where: { $0.instance == seen.instance }) else {
            let mayBeScheduled = cards.contains { $0.id == seen.card && $0.isUnscheduled }
            note(seen.instance, mayBeScheduled ? .unknown(nil) : .duplicate)
            return nil
        }
        note(seen.instance, .card(cards[index].id))
        return index
    }

    private mutating func note(_ instance: String?, _ subject: Subject) {
        if let instance { subjects.append((instance, subject)) }
    }
}

extension CardReport {
    /// Whether the card has ended, or has left the screen.
    fileprivate var isEnd: Bool {
        switch self {
        case .ended, .dismissed: true
        case .started, .pending, .shown, .stale: false
        }
    }

    /// Whether the card is on the screen, and can be updated with a token that came with the report.
    fileprivate func showsTokenOf(_ report: DeviceReport) -> Bool {
        switch self {
        case .started(let token): token != nil
        case .shown, .stale: report.updateToken != nil
        case .pending, .ended, .dismissed: false
        }
    }
}
