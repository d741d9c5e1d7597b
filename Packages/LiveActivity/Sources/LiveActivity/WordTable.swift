/// One locale's words.
protocol WordTable: Sendable {
    /// A template; see `PhraseTemplate`.
    func phrase(_ code: PhraseCode) -> String
    func verb(_ verb: Verb) -> String
    /// Where a row of buttons has no room for the whole title.
    func shortVerb(_ verb: Verb) -> String
    /// A template with `{courier}`.
    var contactNamed: String { get }
    func phase(_ phase: KnownPhase) -> String
    /// At most eight columns, for the side of a compact island.
    func shortPhase(_ phase: KnownPhase) -> String
    func flag(_ flag: DeliverySnapshot.Flag) -> String
    func vehicle(_ code: String) -> String?
    /// A template; see `PhraseTemplate`.
    func label(_ label: CardLabel) -> String
    /// A template with `{at}`, a time as it stands in a sentence.
    var moment: String { get }
    func date(_ day: WrittenTime.Day) -> String
    func length(minutes: Int) -> String
    /// Without its sign.
    func amount(_ amount: Amount) -> String
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
    case arrives, likely, promised, items, bag, leavesScreen, order
    case approveMore, approveLess, approveMoreShort, approveLessShort
    case spokenArrival, spokenLikely, spokenPromise, spokenMore, spokenLess, spokenAnswers
    case stepAccepted, stepPacked, stepPickedUp, stepDoor
}
