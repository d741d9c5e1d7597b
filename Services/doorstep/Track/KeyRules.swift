import LiveActivity
import PhoneRules

/// The legal keys, and the confirmed actions that can still be cancelled.
///
/// A value without a clock: callers pass the time, as wall time since the session began. Three rules apply. An action
/// that is asked about (``CardAction/isAskedAbout``) needs a confirmation. A confirmed action is executed ten seconds
/// later, and not at all when it is cancelled or the person leaves. A key whose meaning changed without the person's
/// doing has no effect for a while.
struct KeyRules: Hashable, Sendable {
    /// The time for which a confirmed action can be cancelled before its execution.
    static let undoTime = Duration.seconds(10)
    /// The time for which a question stays open.
    static let questionTime = Duration.seconds(30)
    /// The time for which a key has no effect after its meaning changed by itself.
    static let settleTime = Duration.seconds(2)

    struct Question: Hashable, Sendable {
        let action: CardAction
        let card: String
        let until: Duration
    }

    /// Confirmed, and not done yet.
    struct Confirmed: Hashable, Sendable {
        let action: CardAction
        let card: String
        let dueAt: Duration
    }

    /// The result of a key.
    enum Reply: Hashable, Sendable {
        /// The action is due now.
        case perform
        /// The question is open: ``question``.
        case ask
        /// The key's meaning has just changed by itself.
        case justChanged
        /// A confirmed action of this card waits for its execution or cancellation.
        case waiting
    }

    /// A digit's meaning when it was last on the screen.
    private struct Target: Hashable, Sendable {
        let card: String
        let url: String
        /// The time at which it replaced another meaning; nil where it did not, or the person caused that.
        let changedAt: Duration?
    }

    /// The latest time that was passed in.
    private(set) var now = Duration.zero
    private(set) var question: Question?
    /// The longest confirmed first; one a card at most.
    private(set) var confirmed: [Confirmed] = []
    private var targets: [Int: Target] = [:]
    private var focused: String?
    private var focusChangedAt: Duration?

    // MARK: - The screen

    /// Records the meanings of the digits.
    ///
    /// - Parameters:
    ///   - card: the card that receives keys.
    ///   - cards: every card on the screen; confirmed actions for others are dropped.
    mutating func observe(_ card: PhoneCard?, among cards: [PhoneCard], at time: Duration) {
        now = max(now, time)
        if let question, question.card != card?.id || question.until <= now { self.question = nil }
        confirmed.removeAll { waiting in !cards.contains { $0.id == waiting.card } }
        guard let card else { return }
        if focused != card.id { focusChangedAt = focused == nil ? nil : now }
        focused = card.id
        let buttons = card.content.buttons
        for (button, digit) in zip(buttons, ButtonDigits.of(buttons)) {
            guard let digit else { continue }
            let former = targets[digit]
            if let former, former.card == card.id, former.url == button.url { continue }
            targets[digit] = Target(card: card.id, url: button.url, changedAt: former == nil ? nil : now)
        }
    }

    /// The person moves to another card or side: the keys' meanings there have not changed by themselves.
    mutating func moveFocus() {
        question = nil
        targets = [:]
        focused = nil
        focusChangedAt = nil
    }

    // MARK: - Keys

    /// Decides the result of a key.
    ///
    /// - Parameter digit: the digit that was pressed; nil for a letter.
    mutating func press(_ action: CardAction, digit: Int? = nil, on card: String, at time: Duration) -> Reply {
        now = max(now, time)
        if confirmed.contains(where: { $0.card == card }) { return .waiting }
        let changes = [focusChangedAt, digit.flatMap { targets[$0]?.changedAt }].compactMap(\.self)
        if changes.contains(where: { now - $0 < Self.settleTime }) { return .justChanged }
        guard action.isAskedAbout else { return .perform }
        question = Question(action: action, card: card, until: now + Self.questionTime)
        return .ask
    }

    /// Answers the question with yes: it is done later, see ``takeDue(at:)``.
    mutating func confirm(at time: Duration) {
        now = max(now, time)
        guard let question else { return }
        self.question = nil
        guard now < question.until else { return }
        confirmed.append(
            Confirmed(action: question.action, card: question.card, dueAt: now + Self.undoTime))
    }

    /// Answers the question with no; returns the question.
    mutating func withdraw() -> Question? {
        defer { question = nil }
        return question
    }

    /// Cancels this card's confirmed action, or else the last confirmed one; nil where none waits.
    mutating func undo(preferring card: String?) -> Confirmed? {
        let index = confirmed.firstIndex { $0.card == card } ?? confirmed.indices.last
        return index.map { confirmed.remove(at: $0) }
    }

    /// Hands over the next that is to be done now; each is handed over once.
    mutating func takeDue(at time: Duration) -> Confirmed? {
        now = max(now, time)
        return confirmed.firstIndex { $0.dueAt <= now }.map { confirmed.remove(at: $0) }
    }

    /// Whole seconds until it is done, at least 0.
    func secondsLeft(of waiting: Confirmed) -> Int {
        let left = waiting.dueAt - now
        return max(0, Int(left.components.seconds) + (left.components.attoseconds > 0 ? 1 : 0))
    }
}
