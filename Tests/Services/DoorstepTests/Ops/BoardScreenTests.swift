import CommandLineTestSupport
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("The board's screen")
struct BoardScreenTests {
    private static let small = TerminalSize(columns: 80, rows: 24)
    private static let plain = BoardScreen(hasColors: false)

    /// Forty deliveries with long names, the worst first.
    private static func state() throws -> BoardState {
        let statuses: [(StatusCode, CourierStatus?)] = [
            (.picking, .unassigned), (.accepted, .toStore), (.enRoute, nil), (.atDoor, nil),
        ]
        let rows = try (0..<40).map { number in
            let (status, courierStatus) = statuses[number % 4]
            return try SampleBoard.row(
                id: "0000\(1000 + number * 7)-0000-4000-8000-0000000000\(10 + number)",
                reference: "NORDHAVN-2026-\(100 + number)",
                customer: number % 3 == 0 ? "customer-with-a-very-long-name" : "mette",
                courier: courierStatus == .unassigned ? nil : "Anna Sofie Holm-Christensen", status: status,
                courierStatus: courierStatus, risk: number < 6 ? .late : number < 9 ? .atRisk : .onTime,
                lateMinutes: number < 6 ? 60 - number * 9 : nil, promised: number == 20 ? 26 * 60 : Double(number) - 5,
                flags: number == 10 ? ["on_hold"] : [])
        }
        var state = BoardState(query: BoardQuery(limit: 100), now: SampleBoard.now)
        state.show(SampleBoard.board(rows, next: "more"), at: SampleBoard.now)
        return state
    }

    @Test("On 80 by 24 the worst are on top, with minutes late, in the store's time, and keys below")
    func golden() throws {
        let rows = Self.plain.rows(try Self.state(), size: Self.small)
        try expectGolden(rows.joined(separator: "\n") + "\n", "ops/top-80x24.txt")
    }

    @Test("The selected row is marked, named whole below, and is seen however far down it is")
    func selected() throws {
        var state = try Self.state()
        for _ in 0..<25 { _ = state.press(.down, at: .zero) }
        let rows = Self.plain.rows(state, size: Self.small)
        #expect(rows.count { $0.hasPrefix(">") } == 1)
        #expect(rows.contains { $0.contains("NORDHAVN-2026-124 · customer-with-a-very-long-name") })
        try expectGolden(rows.joined(separator: "\n") + "\n", "ops/top-selected.txt")
    }

    @Test("No row is wider than the terminal and there are never more than it has, in each page and question")
    func fits() throws {
        var states = [try Self.state(), BoardState(query: BoardQuery(limit: 100), now: SampleBoard.now)]
        var asked = states[0]
        _ = asked.press(.down, at: .zero)
        asked.askForStatus(of: try #require(asked.selected), allowed: StatusCode.allCases)
        states.append(asked)
        var timeline = states[0]
        _ = timeline.press(.down, at: .zero)
        _ = timeline.press(.enter, at: .zero)
        timeline.show(
            (0..<50).map { "line \($0) " + String(repeating: "word ", count: $0) },
            of: try #require(timeline.selected).id)
        states.append(timeline)
        var failed = states[0]
        failed.fail("no answer from http://127.0.0.1:8081; is it running?", at: SampleBoard.now)
        states.append(failed)
        var keys = states[0]
        _ = keys.press(.character("?"), at: .zero)
        states.append(keys)
        for state in states {
            for columns in [10, 20, 40, 60, 79, 80, 81, 100, 132, 250] {
                for height in [5, 12, 24, 60] {
                    let rows = Self.plain.rows(state, size: TerminalSize(columns: columns, rows: height))
                    #expect(rows.count <= height)
                    #expect(rows.allSatisfy { $0.columns <= columns }, "\(columns)×\(height)")
                }
            }
        }
    }

    @Test("A question mark lists every key, and any key closes the list")
    func keys() throws {
        var state = try Self.state()
        _ = state.press(.character("?"), at: .zero)
        let text = Self.plain.rows(state, size: Self.small).joined(separator: "\n")
        for words in ["assign a courier", "clear selection and marks, then the filters", "any key closes this"] {
            #expect(text.contains(words), "\(words)")
        }
        _ = state.press(.character("a"), at: .zero)
        #expect(state.page == .list && state.prompt == nil)
    }

    @Test("What is typed is seen at the end of a question that is longer than a row")
    func typed() throws {
        var state = try Self.state()
        _ = state.press(.down, at: .zero)
        state.askForStatus(of: try #require(state.selected), allowed: StatusCode.allCases)
        for character in "staged" { _ = state.press(.character(character), at: .zero) }
        let rows = Self.plain.rows(state, size: Self.small)
        #expect(rows.count == 24 && rows.contains { $0.hasSuffix("staged_") })
    }

    @Test("With more couriers than there is room for, those that begin with what is typed are left, and it is seen")
    func typedOfMany() throws {
        let rows = try (10..<50).map { number in
            let name = number % 2 == 0 ? "Anna" : "Bent"
            return try SampleBoard.row(reference: "A-\(number)", courier: "\(name) Holm-Christensen \(number)")
        }
        var state = BoardState(query: BoardQuery(limit: 100), now: SampleBoard.now)
        state.show(SampleBoard.board(rows), at: SampleBoard.now)
        for key in [Key.down, .character("a"), .character("b"), .character("e")] { _ = state.press(key, at: .zero) }
        let shown = Self.plain.rows(state, size: Self.small)
        #expect(shown.count == 24 && shown.contains { $0.hasSuffix("be_") })
        let text = shown.joined(separator: " ")
        #expect(text.contains("which courier? [bent-holm-christensen-11, ") && text.contains("…]"), "\(text)")
        #expect(shown.allSatisfy { $0.columns <= Self.small.columns })
        for character in "?!" { _ = state.press(.character(character), at: .zero) }
        _ = state.press(.enter, at: .zero)
        let refused = Self.plain.rows(state, size: Self.small)
        #expect(refused.contains { $0.hasSuffix("be?!_") }, "\(refused)")
        #expect(refused.contains { $0.hasPrefix("A courier's id is 1 to 64") }, "\(refused)")
    }

    @Test("With more late stops than there is room for, the word that moves them is asked for all the same")
    func consentOfMany() throws {
        let finn = try #require(CourierID(rawValue: "finn"))
        let estimate = Estimate(
            arrivesAt: SampleBoard.now, earliest: SampleBoard.now, latest: SampleBoard.now, madeAt: SampleBoard.now)
        let stops = try (0..<20).map { number in
            TripPreviewBody.Stop(
                delivery: try #require(DeliveryID(rawValue: "00000000-0000-4000-8000-0000000000\(10 + number)")),
                reference: "NORDHAVN-2026-\(100 + number)", bag: Bag(number: 1, count: 1), version: 3,
                stopsBefore: number, formerStopsBefore: 0, isAdded: true, formerCourier: nil, fetchedFrom: nil,
                promiseEnd: SampleBoard.now, timeZone: "UTC", estimate: estimate, formerEstimate: nil, isLate: true,
                wasLate: false)
        }
        var state = try Self.state()
        state.askToMove(
            BoardMove(courier: finn, deliveries: stops.map(\.delivery), reason: "flat"),
            trip: TripPreviewBody(courier: finn, asOf: SampleBoard.now, stops: stops))
        for character in "ye" { _ = state.press(.character(character), at: .zero) }
        let text = Self.plain.rows(state, size: Self.small).joined(separator: " ")
        #expect(text.contains("20 deliveries to finn, who has 0; 20 become late: NORDHAVN-2026-100"), "\(text)")
        #expect(text.contains("…; type yes ye_"), "\(text)")
    }

    @Test("Without colours there is no escape sequence; with them the late are red, and words say the same")
    func colors() throws {
        var state = try Self.state()
        _ = state.press(.down, at: .zero)
        #expect(!Self.plain.rows(state, size: Self.small).joined().contains("\u{1B}"))
        let rows = BoardScreen(hasColors: true).rows(state, size: Self.small)
        #expect(rows[4].hasPrefix("\u{1B}[1;31m late"))
        #expect(rows[3].hasPrefix("\u{1B}[7;1;31m>late"))
        let bare = rows.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
        #expect(bare == Self.plain.rows(state, size: Self.small))
    }

    @Test("Without an answer the rows stay, and it is said as of when they are")
    func failure() throws {
        var state = try Self.state()
        state.fail("no answer from http://127.0.0.1:8081", at: SampleBoard.now.addingTimeInterval(90))
        let rows = Self.plain.rows(state, size: Self.small)
        #expect(rows[1] == "! as of 18:00:00 · no answer from http://127.0.0.1:8081")
        #expect(rows[3].hasPrefix(" late"))
        state.show(SampleBoard.board([]), at: SampleBoard.now)
        #expect(Self.plain.rows(state, size: Self.small)[1] == "18:00:00 Europe/Copenhagen · worst first")
    }

    @Test("A wider terminal has more columns, and an empty one takes no room")
    func wide() throws {
        let wide = Self.plain.rows(try Self.state(), size: TerminalSize(columns: 180, rows: 24))
        #expect(wide[2].contains("FLAGS") && wide[2].contains("ID") && !wide[2].contains("CARDS"))
        #expect(wide[3].contains("Anna Sofie Holm-Christensen") || wide[4].contains("Anna Sofie Holm-Christensen"))
    }
}
