import DeliverySamples
import DoorstepAPI
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Keys of the board")
struct BoardStateTests {
    private static func state(_ rows: [BoardBody.Row]) -> BoardState {
        var state = BoardState(query: BoardQuery(limit: 100), now: SampleBoard.now)
        state.show(SampleBoard.board(rows), at: SampleBoard.now)
        return state
    }

    private static func rows(_ references: String...) throws -> [BoardBody.Row] {
        try references.map { try SampleBoard.row(reference: $0, customer: "mette", courier: "Mira Holm") }
    }

    /// The row of a bag on its way with Mira, which needs a photo at the door.
    private static func row(_ number: Int, _ changes: [DeliveryChange] = []) -> BoardBody.Row {
        let delivery = SampleDeliveries.whole(
            number: number, SampleDeliveries.toEnRoute + changes, proof: DeliveryProof(required: [ProofKind.photo]))
        return BoardBody.Row(delivery, risk: .onTime, estimate: nil, cards: nil, for: Principal(.operator("ada")))
    }

    @discardableResult
    private static func type(_ text: String, into state: inout BoardState) -> BoardEffect {
        for character in text { _ = state.press(.character(character), at: .zero) }
        return state.press(.enter, at: .zero)
    }

    private static func change(_ effect: BoardEffect) -> BoardChange? {
        if case .change(let change) = effect { change } else { nil }
    }

    @Test("Nothing is selected at first, and keys that change something say so and do nothing")
    func unselected() throws {
        var state = Self.state(try Self.rows("A", "B"))
        for key in ["a", "h", "s"] as [Character] {
            guard case .nothing = state.press(.character(key), at: .zero) else { return #expect(Bool(false), "\(key)") }
            #expect(state.prompt == nil && state.notice == "Nothing is selected: ↓ selects the worst.")
        }
        _ = state.press(.down, at: .zero)
        #expect(state.selected?.reference == "A")
    }

    @Test("The selection stays on its delivery when a worse one comes above it")
    func sticks() throws {
        let rows = try Self.rows("A", "B")
        var state = Self.state(rows)
        _ = state.press(.down, at: .zero)
        state.show(SampleBoard.board(try Self.rows("worse") + rows.reversed()), at: SampleBoard.now)
        #expect(state.selected?.reference == "A" && state.selectedIndex == 2)
        _ = state.press(.character("h"), at: .zero)
        #expect(state.prompt?.row?.reference == "A")
    }

    @Test("A delivery that leaves the list is not selected any more, and a question about it stays about it")
    func leaves() throws {
        let rows = try Self.rows("A", "B")
        var state = Self.state(rows)
        _ = state.press(.down, at: .zero)
        state.show(SampleBoard.board([rows[1]]), at: SampleBoard.now)
        #expect(state.selected == nil && state.notice == "A has left this list.")
        _ = state.press(.down, at: .zero)
        _ = state.press(.character("h"), at: .zero)
        state.show(SampleBoard.board([rows[0]]), at: SampleBoard.now)
        let change = Self.change(Self.type("a reason", into: &state))
        #expect(change?.row.reference == "B" && change?.kind == .hold)
    }

    @Test("Half a minute without a key selects nothing, but not during a question and not in a timeline")
    func idle() throws {
        var state = Self.state(try Self.rows("A"))
        _ = state.press(.down, at: .seconds(100))
        state.tick(SampleBoard.now, at: .seconds(129))
        #expect(state.selected != nil)
        var asked = state
        _ = asked.press(.character("a"), at: .seconds(129))
        asked.tick(SampleBoard.now, at: .seconds(1_000))
        var read = state
        _ = read.press(.enter, at: .seconds(129))
        read.tick(SampleBoard.now, at: .seconds(1_000))
        #expect(asked.selected != nil && read.selected != nil)
        state.tick(SampleBoard.now, at: .seconds(130))
        #expect(state.selected == nil)
    }

    @Test("A courier is assigned by id or by the name that the list has, with a reason and the version that was seen")
    func assign() throws {
        for (text, id) in [("Mira Holm", "mira-holm"), ("noor", "noor")] {
            var state = Self.state(try Self.rows("A"))
            _ = state.press(.down, at: .zero)
            _ = state.press(.character("a"), at: .zero)
            Self.type(text, into: &state)
            let change = try #require(Self.change(Self.type("  too far ", into: &state)))
            #expect(change.kind == .assign(try #require(CourierID(rawValue: id))))
            #expect(change.reason == "too far" && change.row.version == 4)
            #expect(state.prompt == nil)
        }
    }

    @Test("Tab completes what only one candidate begins with")
    func completion() throws {
        var state = Self.state([try SampleBoard.row(courier: "mira"), try SampleBoard.row(courier: "mikkel")])
        _ = state.press(.down, at: .zero)
        _ = state.press(.character("a"), at: .zero)
        for (key, text) in [
            (Key.character("m"), "m"), (.character("i"), "mi"), (.tab, "mi"), (.character("r"), "mir"), (.tab, "mira"),
            (.backspace, "mir"),
        ] {
            _ = state.press(key, at: .zero)
            #expect(state.prompt?.text == text)
        }
    }

    @Test("A status that ends a delivery is asked about once more, and anything but yes changes nothing")
    func ends() throws {
        for (answer, isChanged) in [("yes", true), ("y", false), ("", false)] {
            var state = Self.state(try Self.rows("A"))
            _ = state.press(.down, at: .zero)
            let row = try #require(state.selected)
            guard case .readAllowed = state.press(.character("s"), at: .zero) else { return #expect(Bool(false)) }
            state.askForStatus(of: row, allowed: [.arriving, .cancelled])
            Self.type("failed", into: &state)
            #expect(state.notice == "One of arriving, cancelled.")
            for _ in "failed" { _ = state.press(.backspace, at: .zero) }
            Self.type("cancelled", into: &state)
            guard case .nothing = Self.type("sold out", into: &state) else { return #expect(Bool(false)) }
            #expect(state.prompt?.question == .consent)
            let change = Self.change(Self.type(answer, into: &state))
            #expect((change?.kind == .setStatus(.cancelled)) == isChanged)
            if !isChanged { #expect(state.notice == "Nothing was changed.") }
        }
    }

    @Test("Where no status may be set, who may reopen is named, and nothing is asked")
    func noStatus() throws {
        var state = Self.state(try Self.rows("A"))
        _ = state.press(.down, at: .zero)
        state.askForStatus(of: try #require(state.selected), allowed: [])
        #expect(state.prompt == nil)
        #expect(state.notice == "A: you may set no status of it; a supervisor reopens what has ended.")
    }

    @Test("In a question letters are letters, escape and an empty answer change nothing")
    func question() throws {
        var state = Self.state(try Self.rows("A"))
        _ = state.press(.down, at: .zero)
        _ = state.press(.character("h"), at: .zero)
        guard case .nothing = state.press(.character("q"), at: .zero) else { return #expect(Bool(false), "q left") }
        #expect(state.prompt?.text == "q")
        _ = state.press(.escape, at: .zero)
        #expect(state.prompt == nil && state.notice == "Nothing was changed.")
        _ = state.press(.character("h"), at: .zero)
        #expect(Self.change(Self.type("", into: &state)) == nil)
        #expect(state.prompt == nil && state.notice == "Nothing was changed.")
    }

    @Test("A delivery that is on hold is released by the same key")
    func release() throws {
        var state = Self.state([try SampleBoard.row(flags: ["on_hold"])])
        _ = state.press(.down, at: .zero)
        _ = state.press(.character("h"), at: .zero)
        #expect(Self.change(Self.type("checked", into: &state))?.kind == .release)
    }

    @Test("Filters ask for the list anew, and escape clears the selection, then every filter")
    func filters() throws {
        var state = Self.state(try Self.rows("A"))
        guard case .read = state.press(.character("l"), at: .zero) else { return #expect(Bool(false)) }
        #expect(state.query.isLate)
        _ = state.press(.character("/"), at: .zero)
        guard case .read = Self.type("mette", into: &state) else { return #expect(Bool(false)) }
        #expect(state.query.search == "mette" && state.query.words == ["late only", "\"mette\""])
        _ = state.press(.down, at: .zero)
        guard case .nothing = state.press(.escape, at: .zero) else { return #expect(Bool(false)) }
        #expect(state.selected == nil && state.query.isLate)
        guard case .read = state.press(.escape, at: .zero) else { return #expect(Bool(false)) }
        #expect(state.query.words.isEmpty)
        guard case .nothing = state.press(.escape, at: .zero) else { return #expect(Bool(false)) }

        // Those that the command was given too.
        state.query = BoardQuery(isSilent: true, store: "nordhavn", limit: state.query.limit)
        guard case .read = state.press(.escape, at: .zero) else { return #expect(Bool(false)) }
        #expect(state.query.words.isEmpty)
    }

    @Test("Space marks a delivery, c all of its courier, and escape takes the marks off")
    func marks() throws {
        let rows =
            try ["A", "B"].map { try SampleBoard.row(reference: $0, courier: "mira") }
            + [try SampleBoard.row(reference: "C", courier: "noah")]
        var state = Self.state(rows)
        for key in [Key.down, .character(" ")] { _ = state.press(key, at: .zero) }
        #expect(state.marked == [rows[0].id] && state.selected?.id == rows[1].id)
        _ = state.press(.character("c"), at: .zero)
        #expect(state.marked == [rows[0].id, rows[1].id])
        state.show(SampleBoard.board(Array(rows.dropFirst())), at: SampleBoard.now)
        #expect(state.marked == [rows[1].id], "what has left the list is not marked")
        _ = state.press(.escape, at: .zero)
        #expect(state.marked.isEmpty)
        _ = state.press(.character("z"), at: .zero)
        #expect(state.notice == "There is no move to undo.")
    }

    @Test("Goods that the customer has by the courier's word are not marked by c, and are named")
    func handedOver() {
        let rows = [Self.row(1), Self.row(2, [.handedOverUnconfirmed])]
        var state = Self.state(rows)
        for key in [Key.down, .character("c")] { _ = state.press(key, at: .zero) }
        #expect(state.marked == [rows[0].id])
        #expect(state.notice == "1 is handed over, to be confirmed, and stays with Mira: A-1043 2/2.")
    }

    @Test("The mark of what its courier has handed over since is taken off and named; one by hand after that stays")
    func handedOverSince() {
        let live = [Self.row(1), Self.row(2)]
        var state = Self.state(live)
        for key in [Key.down, .character("c")] { _ = state.press(key, at: .zero) }
        #expect(state.marked == [live[0].id, live[1].id])
        let since = SampleBoard.board([live[0], Self.row(2, [.handedOverUnconfirmed])])
        state.show(since, at: SampleBoard.now)
        #expect(state.marked == [live[0].id])
        #expect(state.notice == "1 is handed over, to be confirmed, and stays with Mira: A-1043 2/2.")
        for key in [Key.down, .character(" ")] { _ = state.press(key, at: .zero) }
        state.show(since, at: SampleBoard.now)
        #expect(state.marked == [live[0].id, live[1].id] && state.notice == nil)
    }

    @Test("What its courier hands over while a move is typed is not moved, and the last of it ends the question")
    func handedOverWhileTyped() {
        let live = [Self.row(1), Self.row(2)]
        var state = Self.state(live)
        for key in [Key.down, .character("c"), .character("a")] { _ = state.press(key, at: .zero) }
        for character in "ben" { _ = state.press(.character(character), at: .zero) }
        state.show(SampleBoard.board([live[0], Self.row(2, [.handedOverUnconfirmed])]), at: SampleBoard.now)
        #expect(state.notice == "1 is handed over, to be confirmed, and stays with Mira: A-1043 2/2.")
        #expect(state.prompt?.moved == [live[0].id] && state.prompt?.text == "ben")
        let both = (1...2).map { Self.row($0, [.handedOverUnconfirmed]) }
        state.show(SampleBoard.board(both), at: SampleBoard.now)
        #expect(state.prompt == nil)
    }

    @Test("The question about a planned trip ends once a delivery of it is handed over")
    func handedOverWhilePlanned() throws {
        let live = [Self.row(1), Self.row(2)]
        var state = Self.state(live)
        let courier = try #require(CourierID(rawValue: "ben"))
        let trip = TripPreviewBody(courier: courier, asOf: SampleBoard.now, stops: [])
        state.askToMove(BoardMove(courier: courier, deliveries: live.map(\.id), reason: "flat"), trip: trip)
        #expect(state.prompt != nil)
        state.show(SampleBoard.board([live[0], Self.row(2, [.handedOverUnconfirmed])]), at: SampleBoard.now)
        #expect(state.prompt == nil && state.notice?.contains("stays with Mira") == true)
    }
}
