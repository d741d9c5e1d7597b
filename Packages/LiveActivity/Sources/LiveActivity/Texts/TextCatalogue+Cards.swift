/// The languages that are compiled in, each read when it is first used.
extension TextCatalogue {
    /// The texts that travel with codes.
    static let english = TextCatalogue(.english)
    private static let danish = TextCatalogue(.danish)
    private static let german = TextCatalogue(.german)
    private static let french = TextCatalogue(.french)
    private static let spanish = TextCatalogue(.spanish)
    private static let italian = TextCatalogue(.italian)
    private static let dutch = TextCatalogue(.dutch)
    private static let polish = TextCatalogue(.polish)
    private static let swedish = TextCatalogue(.swedish)
    private static let portuguese = TextCatalogue(.portuguese)
    private static let turkish = TextCatalogue(.turkish)
    private static let arabic = TextCatalogue(.arabic)

    /// - Parameter code: one of ``Language/codes``; nil for any other.
    static func builtIn(_ code: String) -> TextCatalogue? {
        switch code {
        case "en": english
        case "da": danish
        case "de": german
        case "fr": french
        case "es": spanish
        case "it": italian
        case "nl": dutch
        case "pl": polish
        case "sv": swedish
        case "pt": portuguese
        case "tr": turkish
        case "ar": arabic
        default: nil
        }
    }
}

extension TextCatalogue {
    func phrase(_ code: PhraseCode) -> Message? { message("phrase.\(code.rawValue)") }

    /// A text of a card with its arguments; empty where one is missing.
    func label(_ label: CardLabel, _ values: [String: String] = [:], _ reading: Reading? = nil) -> String {
        text("label.\(label.rawValue)", values, reading) ?? ""
    }

    func verb(_ verb: Verb) -> String { self("verb.\(verb.rawValue)") }

    /// Where a row of buttons has no room for the whole title.
    private func shortVerb(_ verb: Verb) -> String { self("verb.\(verb.rawValue).short") }

    /// A button's title: it names the courier to contact, and the price difference of a swap.
    func title(_ verb: Verb, courier: Courier?, difference: Amount?) -> String {
        switch verb {
        case .contactCourier:
            courier.map { self("verb.\(verb.rawValue).named", ["courier": $0.name]) } ?? self.verb(verb)
        case .approveSubstitution: approval(difference, more: .approveMore, less: .approveLess) ?? self.verb(verb)
        case .details, .leaveAtDoor, .handToMe, .refuseSubstitution, .cancel, .feedback: self.verb(verb)
        }
    }

    /// The title in fewer words, where there is a shorter one.
    func shortTitle(_ verb: Verb, difference: Amount?) -> String {
        switch verb {
        case .approveSubstitution:
            approval(difference, more: .approveMoreShort, less: .approveLessShort) ?? shortVerb(verb)
        case .details, .contactCourier, .leaveAtDoor, .handToMe, .refuseSubstitution, .cancel, .feedback:
            shortVerb(verb)
        }
    }

    private func approval(_ difference: Amount?, more: CardLabel, less: CardLabel) -> String? {
        guard let difference, difference.minorUnits != 0 else { return nil }
        return label(difference.minorUnits > 0 ? more : less, ["difference": difference.value])
    }
}

/// The phases that this version of the library knows.
enum KnownPhase: String, CaseIterable {
    case received, picking, packed
    case onTheWay = "on_the_way"
    case arriving
    case atDoor = "at_door"
    case problem, ended, several
}

/// The labels of a card around its content.
enum CardLabel: String, CaseIterable {
    case arrives, likely, promised, items, bag, leavesScreen, order, pin
    case approveMore, approveLess, approveMoreShort, approveLessShort
    case spokenArrival, spokenLikely, spokenPromise, spokenMore, spokenLess, spokenStale, spokenAnswers
    case stepAccepted, stepPacked, stepPickedUp, stepDoor
}
