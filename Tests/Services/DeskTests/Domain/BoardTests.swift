import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Desk

@Suite("The board")
struct BoardTests {
    private static let now = SampleDeliveries.at(14)

    private static func row(
        _ number: Int = 1, _ changes: [DeliveryChange] = [], risk: BoardBody.Risk = .onTime, late: Int? = nil,
        missed: Double? = nil, behind: Int = 0
    ) -> BoardBody.Row {
        BoardBody.Row(
            SampleDeliveries.whole(number: number, changes), risk: risk, lateMinutes: late, missProbability: missed,
            estimate: nil, cards: .init(count: 2, behind: behind, reason: nil), for: Principal(.operator("ada")))
    }

    private static let silent: [DeliveryChange] =
        SampleDeliveries.toEnRoute + [.milestone(.silent, assignmentEpoch: 1)]

    private static let delivered: [DeliveryChange] = SampleDeliveries.toEnRoute + [.status(.delivered, reason: nil)]

    private static let packed: [DeliveryChange] = [
        .status(.accepted, reason: nil), .status(.picking, reason: nil), .status(.staged, reason: nil),
    ]

    @Test("A delivery is in the first lane that is true of it, unless it was put off")
    func lanes() {
        let courier = DeliveryChange.courier(SampleDeliveries.mira)
        let onHold = Self.row(1, [.hold(reason: "x")], risk: .late, late: 9, behind: 1)
        let cases: [(BoardBody.Row, Lane)] = [
            (onHold, .needsYou), (Self.row(1, Self.packed), .needsYou), (Self.row(1, Self.packed + [courier]), .fine),
            (Self.row(1, Self.silent, risk: .late), .needsYou),
            (Self.row(1, risk: .late, late: 3, behind: 1), .late), (Self.row(1, risk: .atRisk), .late),
            (Self.row(1, behind: 1), .screensBehind), (Self.row(1), .fine),
            (Self.row(1, Self.delivered, risk: .ended, behind: 1), .fine),
            (Self.row(1, Self.delivered + [.dispute(reason: "x")], risk: .ended), .needsYou),
            (Self.row(1, Self.delivered + [.feedback(.notHere, items: [])], risk: .ended), .needsYou),
            (Self.row(1, Self.delivered + [.feedback(.allRight, items: [])], risk: .ended), .fine),
        ]
        for (row, lane) in cases { #expect(Lane(row, .none, at: Self.now) == lane) }
        var snoozed = Triage.none
        snoozed.snoozedUntil = Self.now.addingTimeInterval(60)
        #expect(Lane(onHold, snoozed, at: Self.now) == .fine)
        #expect(Lane(onHold, snoozed, at: Self.now.addingTimeInterval(60)) == .needsYou)
    }

    @Test(
        "A row tells the hour apart that comes twice, has the day of a time on another day, and is drawn anew each day")
    func times() throws {
        let winter = Date(timeIntervalSince1970: 1_824_944_400)
        for (seconds, text) in [(-2_700.0, "02:15 (UTC+2)"), (900, "02:15 (UTC+1)")] {
            let end = winter.addingTimeInterval(seconds)
            let row = Self.row(1, [.promise(try #require(Promise(start: end.addingTimeInterval(-60), end: end)))])
            let entry = Board.Entry(row: row, triage: .none, lane: .fine, revision: 1)
            let cache = BoardRowCache()
            let later = cache.html(entry, now: Self.now)
            #expect(later.contains("31 Oct 2027 ") && later.contains("–\(text)"), "\(later)")
            #expect(cache.html(entry, now: winter).contains(text) && !cache.html(entry, now: winter).contains("31 Oct"))
        }
    }

    @Test(
        "A row has in words how late the delivery is or may be",
        arguments: [
            (BoardBody.Risk.late, 12, "12 min late"), (.late, nil, "late"), (.atRisk, 19, "may be 19 min late"),
            (.atRisk, nil, "may be late"), (.onTime, nil, nil), (.ended, 2, "2 min late"),
        ] as [(BoardBody.Risk, Int?, String?)])
    func risk(risk: BoardBody.Risk, late: Int?, text: String?) {
        let entry = Board.Entry(row: Self.row(1, risk: risk, late: late), triage: .none, lane: .fine, revision: 1)
        #expect(BoardRowValues(entry: entry, now: Self.now).values["mark"] as? String == text)
    }

    @Test("A row may be set to what confirms its goods, decides about its proof or settles its dispute, too")
    func allowed() {
        let finn = Courier(id: SampleDeliveries.id("finn"), name: "Finn", vehicle: .bicycle, phone: nil)
        #expect(Self.row(1, SampleDeliveries.toEnRoute + [.courier(finn)]).allowed.contains(.pickedUp))
        let attempted = SampleDeliveries.whole(
            SampleDeliveries.toEnRoute
                + [.status(.atDoor, reason: nil), .status(.attempted, reason: nil), .proofDecision],
            proof: DeliveryProof(required: [.photo]))
        #expect(ServicesByTest.row(attempted).allowed.contains(.delivered))
        #expect(Self.row(1, Self.delivered + [.dispute(reason: "x")], risk: .ended).allowed == [.delivered])
        #expect(Self.row(1, Self.delivered, risk: .ended).allowed.isEmpty)
    }

    @Test("A row has the customer's problem with its items until it is settled")
    func problem() throws {
        let item = try #require(SampleDeliveries.whole([]).items.first)
        let problem: [DeliveryChange] = Self.delivered + [.feedback(.missing, items: [item.id])]
        let settled = problem + [.override(.delivered, reason: "refunded")]
        func html(_ changes: [DeliveryChange]) -> String {
            let row = Self.row(1, changes, risk: .ended)
            return BoardRowValues(
                entry: Board.Entry(row: row, triage: .none, lane: .needsYou, revision: 1), now: Self.now
            ).html
        }
        #expect(html(problem).contains("disputed: missing: \(item.name)"))
        #expect(html(problem).contains("Call <bdi>the customer</bdi>"))
        #expect(!html(settled).contains("missing"))
    }

    @Test("A row has the whole promise, the recipient's name and the street in place of the customer's id")
    func names() throws {
        let dropOff = DropOff(
            recipient: Recipient(name: "Mette Holm"), address: Address(street: "Strandvejen 12"), note: nil)
        let row = BoardBody.Row(
            SampleDeliveries.whole([]), risk: .onTime, estimate: nil, cards: nil, dropOff: dropOff,
            for: Principal(.operator("ada")))
        let html = BoardRowValues(
            entry: Board.Entry(row: row, triage: .none, lane: .fine, revision: 1), now: Self.now
        ).html
        for part in ["18:20–18:50", "Mette Holm", "Strandvejen 12"] { #expect(html.contains(part), "\(part)") }
        #expect(!html.contains("mette"))
    }

    @Test("A lane has its worst first: minutes late, then the likelier miss, then the earlier promise")
    func order() {
        let rows = [
            Self.row(1), Self.row(2, risk: .atRisk, missed: 0.2), Self.row(3, risk: .late, late: 4),
            Self.row(4, risk: .atRisk, missed: 0.6), Self.row(5, risk: .late, late: 40),
            Self.row(6, SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil)]), Self.row(7, missed: 0.04),
        ]
        // What is at the door in time is less likely to miss its promise than one on the way.
        #expect(rows.sorted { $0.isWorse(than: $1) }.map(\.id.rawValue.last) == ["5", "3", "4", "2", "1", "7", "6"])
        for row in rows { #expect(!row.isWorse(than: row)) }
    }

    @Test("Who needs an operator is in the order of need: attempted, returning, held, silent, without a courier")
    func needs() {
        let atDoor: [DeliveryChange] =
            SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil), .status(.attempted, reason: "x")]
        let rows = [
            Self.row(1, Self.packed, risk: .late, late: 90), Self.row(2, Self.silent),
            Self.row(3, [.hold(reason: "x")], risk: .late, late: 9),
            Self.row(4, atDoor + [.status(.returning, reason: "x")]), Self.row(5, atDoor),
            Self.row(6, risk: .late, late: 200),
        ]
        #expect(rows.sorted { $0.isWorse(than: $1) }.map(\.id.rawValue.last) == ["5", "4", "3", "2", "1", "6"])
        #expect(rows.prefix(5).allSatisfy { Lane($0, .none, at: Self.now) == .needsYou })
    }

    @Test("What was read later takes the place of what was; an older answer that comes late does not")
    func merge() {
        var board = Board(asOf: Self.now)
        let (one, two) = (Self.row(1), Self.row(2))
        board.merge([one, two], of: [one.id, two.id], triage: [:], asOf: Self.now, revision: 1)
        let newer = Self.row(1, [.status(.accepted, reason: nil)])
        board.merge([newer], of: [newer.id], triage: [:], asOf: Self.now, revision: 2)
        #expect(board.entries[one.id]?.revision == 2 && board.entries[two.id]?.revision == 1)
        board.merge([one], of: [one.id], triage: [:], asOf: Self.now, revision: 3)
        #expect(board.entries[one.id]?.row.version == newer.version)
        // The same again is no news for whoever shows it.
        board.merge([newer, two], of: [newer.id, two.id], triage: [:], asOf: Self.now, revision: 4)
        #expect(board.entries[one.id]?.revision == 2 && board.entries[two.id]?.revision == 1)
        let disputed = Self.row(1, Self.delivered + [.dispute(reason: "wrong door")], risk: .ended)
        board.merge([disputed], of: [one.id], triage: [:], asOf: Self.now, revision: 5)
        #expect(board.entries[one.id]?.lane == .needsYou, "its end waits for an operator")
        let cancelled = Self.row(2, [.status(.cancelled, reason: "x")], risk: .ended)
        board.merge([cancelled], of: [two.id], triage: [:], asOf: Self.now, revision: 5)
        #expect(board.entries[two.id] == nil)
        board.merge([], of: [one.id], triage: [:], asOf: Self.now, revision: 6)
        #expect(board.entries.isEmpty)
    }

    @Test("The owner of a delivery stays where the board gets an older reading, and goes with a newer one")
    func olderTriage() {
        func triage(_ version: Int, owner: String?, at minutes: Double) -> Triage {
            Triage(
                owner: owner.map { Triage.Owner(subject: $0, name: $0) }, snoozedUntil: nil, note: "", changedBy: "ada",
                changedAt: SampleDeliveries.at(minutes), version: version)
        }
        var board = Board(asOf: Self.now)
        let row = Self.row(1)
        func isOwned(by owner: String?) -> Bool { board.entries[row.id]?.triage.owner?.subject == owner }
        let first = triage(1, owner: nil, at: 10)
        board.merge([row], of: [row.id], triage: [row.id: first], asOf: Self.now, revision: 1)
        board.set(triage(2, owner: "ada", at: 11), of: row.id, revision: 2)
        board.merge([row], of: [row.id], triage: [row.id: first], readSince: 1, asOf: Self.now, revision: 3)
        #expect(isOwned(by: "ada") && board.entries[row.id]?.revision == 2, "it was read before ada owned it")
        board.set(first, of: row.id, revision: 4)
        #expect(isOwned(by: "ada"), "of two operators the slower arrives last")
        board.merge([row], of: [row.id], triage: [:], asOf: Self.now, revision: 5)
        #expect(isOwned(by: "ada"))
        board.merge([row], of: [row.id], triage: [row.id: triage(3, owner: nil, at: 12)], asOf: Self.now, revision: 6)
        #expect(isOwned(by: nil) && board.entries[row.id]?.revision == 6)
        // A database that was restored under a running process has an older one.
        let restored = triage(2, owner: "ada", at: 11)
        board.merge([row], of: [row.id], triage: [row.id: restored], readSince: 6, asOf: Self.now, revision: 7)
        #expect(isOwned(by: "ada"))
        // The row of a deleted one counts from 1 again.
        board.set(triage(1, owner: "bo", at: 13), of: row.id, revision: 8)
        #expect(isOwned(by: "bo"))
    }

    @Test("A row names its snooze until that is over, also where its lane stays the same")
    func endOfSnooze() throws {
        var board = Board(asOf: Self.now)
        let row = Self.row(1)
        var snoozed = Triage.none
        snoozed.snoozedUntil = Self.now.addingTimeInterval(60)
        snoozed.version = 1
        let cache = BoardRowCache()
        let cases: [(TimeInterval, Int, Bool)] = [(0, 1, true), (59, 1, true), (60, 3, false), (75, 3, false)]
        for (index, (seconds, changedAt, isSnoozed)) in cases.enumerated() {
            let now = Self.now.addingTimeInterval(seconds)
            board.merge([row], of: [row.id], triage: [row.id: snoozed], asOf: now, revision: index + 1)
            let entry = try #require(board.entries[row.id])
            #expect(entry.lane == .fine && entry.revision == changedAt && board.changedAt == changedAt)
            #expect(cache.html(entry, now: now).contains("snoozed until") == isSnoozed, "after \(seconds) s")
        }
    }

    @Test("Of what a filter leaves it counts all and shows some, and its address leads to the same")
    func filter() throws {
        var board = Board(asOf: Self.now)
        let rows = (1...9).map { Self.row($0, risk: $0 > 4 ? .late : .onTime, late: $0 > 4 ? $0 : nil) }
        var mine = Triage.none
        mine.owner = .init(subject: "ada", name: "Ada Lovelace")
        board.merge(
            rows, of: rows.map(\.id), triage: [rows[4].id: mine, rows[0].id: mine], asOf: Self.now, revision: 1)
        #expect(board.counts(.all)[.late] == 5 && board.counts(.all)[.fine] == 4)
        var filter = BoardFilter()
        filter.owner = "ada"
        #expect(board.counts(filter)[.late] == 1 && board.counts(filter)[.fine] == 1)
        filter.lane = .late
        filter.search = "a&b=c é"
        #expect(board.lanes(filter).map(\.lane) == [.late])
        #expect(board.counts(filter)[.fine] == 1, "counts are of every lane")
        #expect(filter.query == "?q=a%26b%3Dc%20%C3%A9&owner=ada&lane=late")
        #expect(BoardFilter.all.query.isEmpty)
        var chosen = BoardFilter()
        chosen.chosen = [rows[7].id, rows[1].id]
        #expect(board.counts(chosen)[.late] == 1 && board.counts(chosen)[.fine] == 1)
        #expect(chosen.query.hasPrefix("?chosen=") && chosen.rowsMax == 200)
        var elsewhere = BoardFilter()
        elsewhere.store = "amager"
        #expect(board.counts(elsewhere).values.reduce(0, +) == 0)
    }
}
