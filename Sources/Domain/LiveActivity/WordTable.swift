/// One locale's words.
protocol WordTable: Sendable {
    /// A template; see `PhraseTemplate`.
    func phrase(_ code: PhraseCode) -> String
    func verb(_ verb: Verb) -> String
    /// A template with `{courier}`.
    var contactNamed: String { get }
    func phase(_ phase: KnownPhase) -> String
    /// At most eight columns, for the side of a compact island.
    func shortPhase(_ phase: KnownPhase) -> String
    func flag(_ flag: DeliverySnapshot.Flag) -> String
    func vehicle(_ code: String) -> String?
    /// A template; see `PhraseTemplate`.
    func label(_ label: CardLabel) -> String
    func date(_ time: ClockTime) -> String
    func length(minutes: Int) -> String
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
enum CardLabel: CaseIterable {
    case arrives, likely, promised, within, items, bag, leavesScreen, order
    case spokenArrival, spokenLikely, spokenPromise, spokenAnswers
    case stepAccepted, stepPacked, stepPickedUp, stepDoor
}
