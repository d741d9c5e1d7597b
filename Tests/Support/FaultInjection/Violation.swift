/// A violated invariant.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case orderLost = "order lost"
        case orderDoubled = "order doubled"
        case changeLost = "change lost"
        case changeDoubled = "change doubled"
        case changeMisplaced = "change out of order"
        case changeUnasked = "change nobody was acknowledged"
        case timelineBroken = "timeline with a gap or a double"
        case statusWrong = "status wrong"
        case fixLost = "fix lost"
        case reportLost = "report lost"
        case reportDoubled = "report doubled"
        case eventLost = "event lost"
        case eventRepeated = "event repeated"
        case eventWrong = "event wrong"
        case boardWrong = "board wrong"
        case wantedWrong = "wanted state wrong"
        case formerEpisodeLive = "former episode live"
        case cardMissing = "card missing"
        case cardDoubled = "card doubled"
        case cardBehind = "card behind"
        case cardPastEnd = "card past its end"
        case cardsTooMany = "too many cards"
        case summaryWrong = "summary wrong"
        case screenWrong = "screen went back"
        case backlog
        case counter
        case doctor
        case exit = "process ended"
        case log
        case answer = "unexpected answer"
    }

    package let kind: Kind
    package let what: String

    package init(_ kind: Kind, _ what: String) {
        self.kind = kind
        self.what = what
    }

    package var description: String { "\(kind.rawValue): \(what)" }
}
