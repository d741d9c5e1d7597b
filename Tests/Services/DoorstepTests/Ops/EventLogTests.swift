import ArgumentParser
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Synchronization
import Testing
import TimePresentation

@testable import Doorstep

@Suite("The log of all deliveries")
struct EventLogTests {
    private static let start = Date(timeIntervalSince1970: 1_795_280_400)

    private static func row(
        _ id: Int, at seconds: TimeInterval = 0, zone: String = "Europe/Copenhagen", reason: String? = nil
    ) -> TimelinePageBody.Row {
        let delivery = SampleDeliveries.delivery()
        return TimelinePageBody.Row(
            id: id, delivery: delivery.id, reference: "G-\(id)", bag: Bag(number: 1, count: 2),
            store: delivery.store.id, storeName: "Nordhavn", timeZone: zone, courier: nil, courierName: nil,
            street: "Århusgade 12",
            entry: .init(
                at: start + seconds, version: 3, kind: "status", what: "picking → cancelled", by: "operator ada",
                reason: reason))
    }

    /// Answers in turn, and the requests that they answered.
    private final class Answers: Sendable {
        let pages: Mutex<[TimelinePageBody]>
        let requests = Mutex<[String]>([])

        init(_ pages: [TimelinePageBody]) { self.pages = Mutex(pages) }

        var read: EventLog.Read {
            { [self] since, cursor in
                requests.withLock { $0.append("\(Int(since.timeIntervalSince(EventLogTests.start))) \(cursor ?? "-")") }
                return pages.withLock { $0.removeFirst() }
            }
        }
    }

    @Test("Pages are read to the last, and a repeated event is written once")
    func pages() async throws {
        let answers = Answers([
            TimelinePageBody(rows: [Self.row(1), Self.row(2, at: 55)], next: "p2", until: Self.start + 50),
            TimelinePageBody(rows: [], next: "p3", until: Self.start + 50),
            TimelinePageBody(rows: [Self.row(3, at: 58)], next: nil, until: Self.start + 50),
            TimelinePageBody(
                rows: [Self.row(2, at: 55), Self.row(3, at: 58), Self.row(4, at: 61)], next: nil,
                until: Self.start + 60),
        ])
        var log = EventLog(since: Self.start, read: answers.read)
        var written: [Int] = []
        for _ in 0..<2 {
            try await log.readNew { written.append($0.id) }
        }
        #expect(written == [1, 2, 3, 4])
        #expect(answers.requests.withLock { $0 } == ["0 -", "0 p2", "0 p3", "50 -"])
    }

    @Test("An event that was stored while the pages were read comes with the next reading")
    func slowReading() async throws {
        let answers = Answers([
            TimelinePageBody(rows: [Self.row(1, at: 55)], next: "p2", until: Self.start + 50),
            TimelinePageBody(rows: [Self.row(2, at: 90)], next: nil, until: Self.start + 85),
            TimelinePageBody(
                rows: [Self.row(3, at: 54), Self.row(1, at: 55), Self.row(2, at: 90)], next: nil,
                until: Self.start + 95),
        ])
        var log = EventLog(since: Self.start, read: answers.read)
        var written: [Int] = []
        for _ in 0..<2 { try await log.readNew { written.append($0.id) } }
        #expect(written == [1, 2, 3])
        #expect(answers.requests.withLock { $0 } == ["0 -", "0 p2", "50 -"])
    }

    @Test("A limit reads the newest events, oldest first, and says where the older ones are")
    func limit() async throws {
        let requests = Mutex<[String]>([])
        let newest = NewestEvents { count, cursor in
            requests.withLock { $0.append("\(count) \(cursor ?? "-")") }
            return cursor == nil
                ? TimelinePageBody(rows: [Self.row(9), Self.row(8)], next: "p2", until: Self.start)
                : TimelinePageBody(rows: [Self.row(7)], next: "p3", until: Self.start)
        }
        let (rows, older) = try await newest(3)
        #expect(rows.map(\.id) == [7, 8, 9] && older == "p3")
        #expect(requests.withLock { $0 } == ["3 -", "1 p2"])
    }

    @Test("What follows has no limit, and a cursor goes with one")
    func arguments() throws {
        _ = try OpsLog.parse(["--follow", "--since", "1h"])
        _ = try OpsLog.parse(["--limit", "20", "--cursor", "c"])
        for arguments in [["--follow", "--limit", "3"], ["--cursor", "c"], ["--limit", "0"]] {
            #expect(throws: (any Error).self) { _ = try OpsLog.parse(arguments) }
        }
    }

    @Test(
        "Notices are asked for by --all or by a kind",
        arguments: [([], "false"), (["--all"], nil), (["--kind", "milestone"], nil)] as [([String], String?)])
    func notices(arguments: [String], value: String?) throws {
        let filter = try OpsLog.parse(arguments).filter(delivery: nil)
        #expect(filter.first { $0.name == "notices" }?.value == value)
    }

    @Test("A line has the time of the event's store, names, and no character that steers a terminal")
    func line() {
        let row = Self.row(7, reason: "called\u{1B}[2J")
        #expect(
            row.line(zone: "Europe/Copenhagen", now: Self.start)
                == "18:00:00  G-7 1/2  Nordhavn · Århusgade 12  status: picking → cancelled, by operator ada (called [2J)"
        )
        let other = Self.row(7, zone: "America/New_York").line(zone: "Europe/Copenhagen", now: Self.start)
        #expect(other.hasPrefix("12:00:00 (America/New_York)  G-7"))
    }

    @Test(
        "A time in the past is an age or an instant",
        arguments: [
            ("90s", -90), ("10m", -600), ("2h", -7_200), ("1d", -86_400), ("2026-11-21T16:00:00Z", -3_600),
        ] as [(String, TimeInterval)])
    func times(text: String, seconds: TimeInterval) throws {
        #expect(try #require(PastTime(text)).date(now: Self.start) == Self.start + seconds)
    }

    @Test("Other texts are refused", arguments: ["", "m", "10", "-5m", "0m", "10w", "18:24", "1.5h"])
    func refused(text: String) {
        #expect(PastTime(text) == nil)
    }
}
