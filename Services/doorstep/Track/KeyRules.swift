import LiveActivity
import PhoneRules

/// What keys may do now, and what was confirmed and can still be taken back.
///
/// A value without a clock: time is passed in, as wall time since the session began. Three rules are held here.
/// What cannot be undone is asked about first. What was confirmed is done ten seconds later, and not at all when it is taken
/// back or the person leaves. A key whose meaning changed by itself does nothing until there was time to see that.
struct KeyRules: Hashable, Sendable {
    /// How long what was confirmed can be taken back, before it is done.
    static let undoTime = Duration.seconds(10)
    /// How long a question stays open.
    static let questionTime = Duration.seconds(30)
    /// How long a key whose meaning changed by itself does nothing.
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

    /// What comes of a key.
    enum Reply: Hashable, Sendable {
        /// To be done now.
        case perform
        /// The question is open: ``question``.
        case ask
        /// What the key stands for has just changed by itself.
        case justChanged
        /// Something that was confirmed for this card waits to be done or taken back.
        case waiting
    }

    /// What a digit stood for when it was last on the screen.
    private struct Target: Hashable, Sendable {
        let card: String
        let url: String
        /// When it took the place of another; nil where it did not, or the person moved there.
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

    // MARK: - What is on the screen

    /// Takes note of what the digits stand for.
    ///
    /// - Parameters:
    ///   - card: the card that keys are for.
    ///   - cards: every card on the screen; what waits for another is dropped.
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

    /// The person moves to another card or side: what keys stand for there has not changed by itself.
    mutating func moveFocus() {
        question = nil
        targets = [:]
        focused = nil
        focusChangedAt = nil
    }

    // MARK: - Keys

    /// Decides what comes of a key.
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

    /// Answers the question with no; returns what was asked.
    mutating func withdraw() -> Question? {
        defer { question = nil }
        return question
    }

    /// Undoes what waits for this card, or else what was confirmed last; returns it, or nil where nothing waits.
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
