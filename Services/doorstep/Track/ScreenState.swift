import LiveActivity
import PhoneRules

/// The content of the live screen at one moment.
struct ScreenState: Sendable {
    /// The shown side of the phone.
    enum Side: Hashable, Sendable {
        case lockScreen, island
    }

    enum Connection: Hashable, Sendable {
        case connecting, open
        /// Closed; the shown cards are from this time, epoch seconds. Nil where it was never open in this run.
        case lost(since: Int?)
        /// Refused, since as many screens of the customer are connected as possible.
        case full(screensMax: Int)
    }

    /// The answer to the last press, and until when it is shown: wall time since the session began.
    struct Answer: Hashable, Sendable {
        let text: String
        /// The lines below the card, for a text longer than the card.
        var lines: [String] = []
        let until: Duration
    }

    var phone: Phone
    /// Epoch seconds of the domain's clock.
    var now: Int
    var side = Side.lockScreen
    /// The id of the card that keys are for on the Lock Screen; nil only while there is none, see ``keepFocus()``.
    var focus: String?
    /// Whether the person has pressed a key in this run, which settles the focus.
    var hasPressedKey = false
    var keys = KeyRules()
    var answers: [String: Answer] = [:]
    /// The card with the question after the end, which the next key answers; nil without one.
    var feedbackCard: String?
    var connection = Connection.connecting
    var appearance = Appearance.dark
    /// IANA name of the time zone of the clock above the cards: the focused card's, or this machine's.
    var timeZone: String { focusedCard?.attributes.timeZone ?? ownTimeZone }
    var ownTimeZone = "UTC"

    /// The card that keys are for: the island's while that is shown.
    var focusedCard: PhoneCard? {
        if side == .island, let card = phone.islandCardShown { return card }
        return phone.lockScreen.first { $0.id == focus }
    }

    /// Keeps the focus on its card after a move, and gives it to another where the card has left.
    ///
    /// The other is a card with a question, or else the topmost delivery: a summary has few buttons. Until the first key
    /// the focus always goes there: cards arrive one after the other, and the first to arrive may be the least urgent.
    mutating func keepFocus() {
        let cards = phone.lockScreen
        guard !hasPressedKey || !cards.contains(where: { $0.id == focus }) else { return }
        let deliveries = cards.filter { $0.attributes.delivery != nil }
        focus = (deliveries.first(where: \.content.isWaitingForCustomer) ?? deliveries.first ?? cards.first)?.id
    }

    /// Moves the focus to the card below.
    mutating func focusNext() {
        let cards = phone.lockScreen
        guard let index = cards.firstIndex(where: { $0.id == focusedCard?.id }) else { return }
        focus = cards[(index + 1) % cards.count].id
    }
}

extension Phone {
    /// The card in the island, whatever form it has there.
    var islandCardShown: PhoneCard? {
        switch island {
        case .empty: nil
        case .compact(let card), .expanded(let card), .minimal(let card, _): card
        }
    }
}
