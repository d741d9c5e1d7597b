import LiveActivity

/// The digits that press the buttons of a card.
///
/// A verb has the same digit on every card, whatever other buttons there are: a key keeps its meaning while a card
/// changes.
enum ButtonDigits {
    /// The digit of each button, 1 to 9.
    ///
    /// Unknown verbs share the digits after the known ones, in their order on the card; they need a confirmation, see
    /// ``CardAction/isAskedAbout``. Nil for a button when no digit is left.
    static func of(_ buttons: [CardButton]) -> [Int?] { of(verbs: buttons.map(\.verb)) }

    /// The digit of each verb's button.
    static func of(verbs: [String]) -> [Int?] {
        var free = Array((Verb.allCases.map(\.digit).max() ?? 0) + 1...9)
        var used: Set<Int> = []
        return verbs.map { verb in
            let digit = Verb(rawValue: verb)?.digit ?? (free.isEmpty ? nil : free.removeFirst())
            guard let digit, used.insert(digit).inserted else { return nil }
            return digit
        }
    }

    /// The button that a digit presses; nil where the card has none for it.
    static func button(_ digit: Int, of buttons: [CardButton]) -> CardButton? {
        zip(buttons, of(buttons)).first { $1 == digit }?.0
    }
}

extension Verb {
    /// The digit of the button; the button with the smallest change comes first.
    fileprivate var digit: Int {
        switch self {
        case .leaveAtDoor: 1
        case .contactCourier: 2
        case .details: 3
        case .approveSubstitution: 4
        case .refuseSubstitution: 5
        case .cancel: 6
        case .handToMe: 7
        case .feedback: 8
        }
    }
}
