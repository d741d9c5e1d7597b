import EmulatorAPI
import LiveActivity
import PhoneRules

/// A person's view of an emulated phone: the emulator's last state, advanced by the time since.
struct EmulatedPhoneView: Sendable {
    /// Wall seconds that an alert holds the island open here at least: on a fast clock the phone's own moment is too
    /// short to be seen.
    static let alertSecondsMin = 3

    let id: String
    /// Nil before it is known.
    private(set) var phone: EmulatedPhoneBody?
    /// The phones' time, epoch seconds.
    var now: Int
    /// Seconds of the phones' time in one of the wall clock.
    var rate = 1.0
    var connection = ScreenState.Connection.connecting

    /// Applies the phone's present state.
    ///
    /// - Returns: the changes on its screen, oldest card first.
    mutating func update(_ phone: EmulatedPhoneBody) -> [CardEvent] {
        now = phone.now
        let known = Dictionary(cards.map { ($0.id, $0) }) { $1 }
        let isFirst = self.phone == nil
        self.phone = phone
        return cards.compactMap { card in
            Self.change(from: known[card.id], to: card, isFirst: isFirst).map {
                CardEvent(kind: $0, card: card, at: now)
            }
        }
    }

    /// Every card that the phone remembers, in the order they started.
    var cards: [PhoneCard] { (phone?.cards ?? []).enumerated().map { PhoneCard($1, ordinal: $0) } }

    /// The Lock Screen, top first.
    var lockScreen: [PhoneCard] {
        let cards = cards
        return (phone?.lockScreen ?? []).compactMap { instance in cards.first { $0.id == instance } }
    }

    /// Whether there was a card and every one has left the screen.
    var isOver: Bool { !cards.isEmpty && cards.allSatisfy { $0.state == .dismissed } }

    /// The card whose alert is on the screen, with its alert.
    var alerted: (card: PhoneCard, alert: PhoneAlert)? {
        let seconds = max(Phone.alertSeconds, Int(Double(Self.alertSecondsMin) * rate))
        let alerted = lockScreen.compactMap { card in card.alert.map { (card: card, alert: $0) } }
            .filter { now < $0.alert.at + seconds && $0.alert.at <= now }
        return alerted.max { $0.alert.at < $1.alert.at }
    }

    /// The card in the island and its form there; nil where the island is empty, or the phone has none.
    var island: (card: PhoneCard, form: EmulatedPhoneBody.Island.Form)? {
        guard let phone, phone.hasIsland else { return nil }
        if let alerted, phone.island.instance != nil { return (alerted.card, .expanded) }
        return cards.first { $0.id == phone.island.instance }.map { ($0, phone.island.form) }
    }

    /// The pushes after the known ones.
    func newPushes(after known: [PushLogLine]) -> [PushLogLine] {
        let pushes = phone?.pushes ?? []
        guard let last = known.last, let index = pushes.lastIndex(of: last) else { return pushes }
        return Array(pushes[(index + 1)...])
    }

    private static func change(from former: PhoneCard?, to card: PhoneCard, isFirst: Bool) -> CardEvent.Kind? {
        guard let former else {
            switch card.state {
            case .pending, .dismissed: return nil
            case .active: return isFirst ? .update : .start
            case .stale: return .stale
            case .ended: return .end
            }
        }
        if former.state != card.state {
            switch card.state {
            case .pending: return nil
            case .active: return former.state == .pending ? .start : .update
            case .stale: return .stale
            case .ended: return .end
            case .dismissed: return .dismissed
            }
        }
        return former.timestamp != card.timestamp || former.content != card.content ? .update : nil
    }
}

extension PhoneCard {
    /// A card from the emulator's report.
    init(_ card: EmulatedPhoneBody.Card, ordinal: Int) {
        self.init(
            id: card.instance, attributes: card.attributes, content: card.content, state: card.state,
            timestamp: card.timestamp, startedAt: card.startedAt, ordinal: ordinal, staleAt: card.staleAt,
            endedAt: card.endedAt, dismissedAt: card.dismissedAt, relevance: card.relevance,
            wasEndedBySystem: card.wasEndedBySystem, alert: card.alert)
    }
}
