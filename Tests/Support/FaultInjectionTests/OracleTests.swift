import FaultInjection
import OrderDomain
import Testing

/// Each fault is planted in a run in which everything is right, and must be named.
@Suite("Oracle")
struct OracleTests {
    @Test("Nothing is wrong where everything is right")
    func right() { #expect(SampleRun().violations == []) }

    struct Planted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kinds: Set<Violation.Kind>
        let plant: @Sendable (inout SampleRun) -> Void

        init(
            _ description: String, _ kinds: Set<Violation.Kind>, plant: @escaping @Sendable (inout SampleRun) -> Void
        ) {
            testDescription = description
            self.kinds = kinds
            self.plant = plant
        }
    }

    @Test("A planted fault is found, and nothing else", arguments: timelines + events + screens + counters)
    func planted(_ fault: Planted) {
        var run = SampleRun()
        fault.plant(&run)
        #expect(Set(run.violations.map(\.kind)) == fault.kinds, "\(run.violations)")
    }

    @Test("Every kind of violation is planted")
    func complete() {
        let all = Self.timelines + Self.events + Self.screens + Self.counters
        let kinds = all.reduce(into: Set()) { $0.formUnion($1.kinds) }
        #expect(kinds == Set(Violation.Kind.allCases))
    }

    // MARK: Timelines

    static let timelines = [
        Planted("an order is lost", [.orderLost]) { $0.snapshot.orders["order-d-1"] = nil },
        Planted("an order is there twice", [.orderDoubled]) { $0.snapshot.orders["order-d-1"] = 2 },
        Planted("a delivery is lost", [.orderLost, .summaryWrong, .boardWrong]) { $0.snapshot.records.remove(at: 0) },
        Planted("a line is lost", [.changeLost, .timelineBroken]) { $0.snapshot.records[0].lines.remove(at: 1) },
        Planted("a line is there twice", [.changeDoubled, .timelineBroken]) { run in
            run.snapshot.records[0].lines.append(run.snapshot.records[0].lines[2])
        },
        Planted("a change was made twice, with a version each", [.changeDoubled, .wantedWrong, .cardBehind]) { run in
            var again = run.snapshot.records[0].lines[2]
            again.version = 4
            run.snapshot.records[0].lines.append(again)
            run.snapshot.records[0].version = 4
        },
        Planted("two changes are in the other order", [.changeMisplaced]) { run in
            let reason = run.snapshot.records[0].lines[1].reason
            run.snapshot.records[0].lines[1].reason = run.snapshot.records[0].lines[2].reason
            run.snapshot.records[0].lines[2].reason = reason
        },
        Planted("a line is nobody's", [.changeUnasked, .wantedWrong, .cardBehind]) { run in
            run.snapshot.records[0].lines.append(
                .init(version: 4, kind: "trip", what: "1 stop before this one", by: "store nordhavn", reason: nil))
            run.snapshot.records[0].version = 4
        },
        Planted("a refused change was made all the same", [.changeUnasked]) { run in
            run.ledger.settled("mark-d-1-0-", of: "d-1", .refused)
        },
        Planted("a status is not what its timeline ends with", [.statusWrong]) {
            $0.snapshot.records[0].status = .staged
        },
        Planted("an acknowledged end is not there", [.statusWrong, .changeLost]) { run in
            run.ledger.asked(.init(delivery: "d-1", marker: "mark-x-", status: .delivered))
            run.ledger.settled("mark-x-", of: "d-1", .acknowledged)
        },
        Planted("a fix is lost", [.fixLost]) { $0.snapshot.fixes["courier-1"] = [1_000] },
        Planted("a report is lost", [.reportLost]) { $0.snapshot.records[4].lines.removeLast() },
        Planted("a report is there twice", [.reportDoubled]) { run in
            run.snapshot.records[4].lines.append(run.snapshot.records[4].lines[3])
        },
        Planted("a report was never taken", [.changeUnasked]) { run in
            var line = run.snapshot.records[4].lines[3]
            line.report = "uber returned at 30"
            run.snapshot.records[4].lines.append(line)
        },
        Planted("a provider's end is not there", [.statusWrong, .boardWrong, .wantedWrong]) { run in
            run.snapshot.records[4].status = .placed
            run.snapshot.records[4].hasEnded = false
        },
    ]

    // MARK: Events and the desk

    static let events = [
        Planted("the newest event is lost", [.eventLost]) { $0.snapshot.events["d-1"]?.removeLast() },
        Planted("an event before the newest is lost", [.eventLost]) { $0.snapshot.events["d-1"]?.removeFirst() },
        Planted("no event of a delivery came", [.eventLost]) { $0.snapshot.events["d-1"] = nil },
        Planted("an event came with two ids", [.eventRepeated]) { run in
            run.snapshot.events["d-1"]?.append(.init(version: 1, type: "delivery.1"))
        },
        Planted("an event came again after it was taken", [.eventRepeated]) {
            $0.snapshot.eventRepeats = ["msg_1, 3 s after it was taken"]
        },
        Planted("an event is of a version that is not there", [.eventWrong]) { run in
            run.snapshot.events["d-1"]?.append(.init(version: 9, type: "delivery.changed"))
        },
        Planted("an event came with two bodies", [.eventWrong]) { $0.snapshot.eventFaults = ["msg_1 has two bodies"] },
        Planted("the board lacks a delivery", [.boardWrong]) { $0.snapshot.boardCount = 2 },
        Planted("the desk shows no board", [.boardWrong]) { $0.snapshot.boardCount = nil },
    ]

    // MARK: Wanted states and screens

    static let screens = [
        Planted("a wanted state is behind", [.wantedWrong]) { $0.snapshot.wanted[0].version = 2 },
        Planted("a wanted state has not ended", [.wantedWrong]) { $0.snapshot.wanted[3].hasEnded = false },
        Planted("a wanted state is not there", [.wantedWrong, .summaryWrong]) { $0.snapshot.wanted.remove(at: 0) },
        Planted("a former episode is wanted", [.formerEpisodeLive]) { run in
            run.snapshot.wanted.append(
                .init(activity: "d-1-0", delivery: "d-1", version: 2, hasEnded: false, isDue: true))
        },
        Planted("a former episode is shown", [.formerEpisodeLive]) { run in
            var card = run.snapshot.screens[0].cards[0]
            card.activity = "d-1-0"
            run.snapshot.screens[0].cards.append(card)
        },
        Planted("a card is missing", [.cardMissing]) { $0.snapshot.screens[1].cards.remove(at: 1) },
        Planted("a card is there twice", [.cardDoubled]) { run in
            run.snapshot.screens[1].cards.append(run.snapshot.screens[1].cards[1])
        },
        Planted("a push was lost", [.cardBehind]) { $0.snapshot.screens[0].cards[0].version = 2 },
        Planted("a card shows another phase", [.cardBehind]) { $0.snapshot.screens[0].cards[0].phase = "problem" },
        Planted("an end was lost", [.cardPastEnd]) { $0.snapshot.screens[0].cards[3].isLive = true },
        Planted("a card ended otherwise", [.cardBehind]) { $0.snapshot.screens[0].cards[3].headline = "delivered" },
        Planted("there are six cards", [.cardsTooMany, .cardDoubled]) { run in
            run.snapshot.screens[0].cards += [run.snapshot.screens[0].cards[0], run.snapshot.screens[0].cards[0]]
        },
        Planted("a summary counts wrong", [.summaryWrong]) { $0.snapshot.screens[0].cards[4].count = 4 },
        Planted("a summary is missing", [.summaryWrong]) { $0.snapshot.screens[0].cards.removeLast() },
        Planted("there are two summaries", [.summaryWrong]) { run in
            run.snapshot.screens[0].cards.append(run.snapshot.screens[0].cards[4])
        },
        Planted("a phone shows nothing", [.cardMissing, .summaryWrong]) { $0.snapshot.screens[1].cards = [] },
        Planted("a screen went back", [.screenWrong]) { $0.snapshot.screens[0].violations = ["#7 went back"] },
    ]

    // MARK: Counters and processes

    static let counters = [
        Planted("a row is left in an outbox", [.backlog]) { $0.snapshot.backlogs["outbox of orders"] = 1 },
        Planted("there is a dead letter", [.counter]) { $0.snapshot.faultCounts["dead letters of orders"] = 1 },
        Planted("the doctor finds something", [.doctor]) { $0.snapshot.doctor = "✗ nats" },
        Planted("a process crashed", [.exit]) { $0.snapshot.exits = ["orders-1: signal(11)"] },
        Planted("a log says that something broke", [.log]) { $0.snapshot.logLines = ["orders-1: Fatal error"] },
        Planted("a known delivery was not found", [.answer]) { $0.snapshot.answers = ["GET: 404"] },
    ]
}
