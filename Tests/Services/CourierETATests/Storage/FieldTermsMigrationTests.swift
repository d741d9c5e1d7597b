import ArrivalEstimate
import DomainTime
import Foundation
import LiveActivity
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

/// Migration 6 on the rows of the version before it.
///
/// `Golden/schema-5.jsonl` was written by that version: the rows of ten deliveries at 4,600 s (live ones with
/// milestones, road samples, an unexpected stop, a silent phone, at the door; an unassigned one; two ended ones), and the
/// messages that it published next: a resync, a fix of each courier at 4,630 s, the timers at 5,300 s.
@Suite("Migration to the field's terms", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FieldTermsMigrationTests {
    /// Reports 25 % more than the usual distance, as the version before did.
    private struct LongerRoads: RoadDistance {
        func road(from: Coordinate, to: Coordinate, by mode: TravelMode) -> KnownRoad {
            let usual = DetourFactorDistance().road(from: from, to: to, by: mode).metres
            return KnownRoad(metres: 1.25 * usual, usualMetres: usual, isRouted: true)
        }
    }

    private let rows: [(table: String, json: String)]
    private let messages: [(step: String, message: Harness.Message)]
    private let completedLeg: CompletedLeg

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Golden/schema-5.jsonl")
        var (rows, messages): ([(String, String)], [(String, Harness.Message)]) = ([], [])
        var leg: CompletedLeg?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            // The value as it was written, to the last digit.
            func text(of key: String) throws -> String {
                String(line[try #require(line.range(of: "\"\(key)\": ")).upperBound...].dropLast())
            }
            if let table = object["table"] as? String {
                rows.append((table, try text(of: "row")))
            } else if let subject = object["subject"] as? String, let step = object["step"] as? String {
                messages.append((step, .init(subject: subject, payload: Data(try text(of: "payload").utf8))))
            } else {
                leg = try JSONDecoder().decode(CompletedLeg.self, from: Data(try text(of: "leg").utf8))
            }
        }
        (self.rows, self.messages, completedLeg) = (rows, messages, try #require(leg))
    }

    /// Runs the body on a database with the former version's rows that has been migrated.
    private func run(_ body: (Harness) async throws -> Void) async throws {
        try await Harness.run(
            preparing: { pool, schema in
                try await migrate(Array(CourierETA.process.migrations.prefix(5)), schema: schema, on: pool)
                try await pool.query("SELECT make_fixes_day('2026-11-21')")
                for row in rows {
                    try await pool.execute(
                        """
                        INSERT INTO \(raw: row.table) OVERRIDING SYSTEM VALUE
                        SELECT * FROM jsonb_populate_record(NULL::\(raw: row.table), \(PostgresJSON(text: row.json)))
                        """)
                }
                try await pool.query(
                    """
                    SELECT setval(pg_get_serial_sequence('finished_ways', 'finished_way_id'), 100),
                        setval(pg_get_serial_sequence('finished_stays', 'finished_stay_id'), 100)
                    """)
            }, body)
    }

    /// The numbers, texts and flags in a document, sorted.
    private static func leaves(_ value: Any) -> [String] {
        switch value {
        case let object as [String: Any]: object.values.flatMap(leaves).sorted()
        case let array as [Any]: array.flatMap(leaves).sorted()
        default: ["\(value)"]
        }
    }

    @Test("Every value of every live delivery is read under its new name")
    func everyValue() async throws {
        try await run { harness in
            for row in rows where row.table == "deliveries" {
                let former = try #require(
                    try JSONSerialization.jsonObject(with: Data(row.json.utf8)) as? [String: Any])
                let id = try #require((former["delivery_id"] as? String).flatMap { DeliveryID(rawValue: $0) })
                let tracked = try #require(try await DeliveryRepository.delivery(id, on: harness.pool))
                let read = try JSONSerialization.jsonObject(with: JSONEncoder().encode(tracked.tracking))
                #expect(Self.leaves(read) == Self.leaves(try #require(former["watch"])), "\(id)")
                #expect(tracked.step == former["step"] as? Int)
            }
        }
    }

    @Test("Stops, arrivals, roads, phones, duties and training data keep their meaning")
    func meaning() async throws {
        try await run { harness in
            func state(of courier: String) async throws -> TrackingState {
                let id = try #require(CourierID(rawValue: courier))
                return try #require(try await DeliveryRepository.live(of: id, on: harness.pool).first).tracking
            }
            let standing = try await state(of: "sten")
            #expect(standing.milestones.map(\.milestone) == [.late, .standing])
            #expect(standing.detector.stoppedSince == seconds(4_195) && standing.standingSince == seconds(4_195))
            #expect(standing.lastPublished.standingSince == seconds(4_195) && standing.roadSamples?.isEmpty == false)
            let atDoor = try await state(of: "dora")
            #expect(atDoor.milestones.map(\.milestone) == [.late, .arriving, .atDoor, .late])
            #expect(atDoor.arrivedLeg?.origin == along(0) && atDoor.arrivedLeg?.roads.isEmpty == false)
            #expect(try await state(of: "quiet").detector.isSilent)
            #expect(try await state(of: "lars").riskReportedAt == seconds(4_000))

            #expect(try await PhoneRepository.phones(of: mira.id, on: harness.pool)[0].lastSeenAt == seconds(4_100))
            let duty = try await harness.pool.query("SELECT reported_by FROM duties")
            #expect(try duty.map { try $0.decode("reported_by", as: String.self) } == ["operator ada"])
            let legs = try await harness.pool.query("SELECT completed_leg_id, leg FROM completed_legs")
            let leg: CompletedLeg = try legs[0].decodeJSON("leg")
            #expect(legs.count == 1 && leg.ride?.fixes.count == 25)
            #expect(try await harness.pool.query("SELECT completed_dwell_id FROM completed_dwells").count == 2)
        }
    }

    @Test("The resync and the next fixes publish what the former version published, and the timers the same silence")
    func goesOn() async throws {
        try await run { harness in
            let parts = CourierETA.Parts(
                pool: harness.pool, clock: harness.wall.domain, partitions: harness.partitions, outbox: UnreadOutbox(),
                roads: LongerRoads())
            harness.move(to: 4_600)
            _ = try await parts.republishAll(on: harness.pool)
            try await expect(step: "resync", harness)

            harness.move(to: 4_630)
            let fixes: [(String, Double, Double)] = [
                ("mira", 630 / 1_100, 4), ("sten", 240.0 / 900, 3), ("dora", 1, 0), ("quiet", 630.0 / 900, 3),
                ("lars", 0.7, 3), ("paul", 0, 0),
            ]
            for (courier, share, speed) in fixes {
                let fix = Fix(time: seconds(4_630), place: along(share), accuracy: 10, speed: speed)
                _ = try await parts.ingestFixes([fix], of: try #require(CourierID(rawValue: courier)))
            }
            try await expect(step: "fix", harness)

            harness.move(to: 5_300)
            try await harness.timers.fireDue()
            try await expectSilence(harness)

            harness.move(to: 6_500)
            let summarizing = SummarizeCompletedLegs(
                pool: harness.pool, clock: harness.wall.domain, metrics: MetricsRegistry(),
                logger: Logger(label: "test"))
            #expect(try await summarizing.summarize(at: harness.wall.now) == 1, "the other one is summarized already")
            let rows = try await harness.pool.query(
                "SELECT leg FROM completed_legs ORDER BY completed_leg_id DESC LIMIT 1")
            #expect(try rows[0].decodeJSON("leg") == completedLeg)
        }
    }

    /// Expects what the timers publish about phones that are silent: the milestones that the former version published,
    /// but for an arrival by the clock alone, and the estimates from before the silence, where it made others.
    private func expectSilence(_ harness: Harness) async throws {
        let published = try await harness.published()
        let former = messages.filter { $0.step == "timer" }.map(\.message)
        #expect(former.milestones.count { $0 == .silent } == 7)
        #expect(published.milestones == Array(repeating: .silent, count: 7))
        #expect(published.estimates.count == former.estimates.count && published.intents.count == former.intents.count)
        let before = messages.filter { $0.step != "timer" }.map(\.message).estimates
        for one in published.estimates {
            // Steps rise, so the last of a delivery is the newest. Messages have milliseconds.
            let newest = try #require(before.last { $0.delivery == one.delivery }).estimate
            #expect(abs(one.estimate.arrivesAt.timeIntervalSince(newest.arrivesAt)) < 1, "\(one.delivery)")
            #expect(abs(one.estimate.madeAt.timeIntervalSince(newest.madeAt)) < 1, "\(one.delivery)")
        }
        // Of the six on their way, one window is over; the seventh is at the door.
        #expect(published.intents.count { $0.step.content.arrival == nil } == 2)
    }

    /// A message of the former version, but for how early a delivery was.
    ///
    /// It counted 51 minutes from the end of the promise; this version counts 21 from its beginning, half an hour before.
    private static func countedFromBeginning(_ message: Harness.Message) -> Harness.Message {
        let text = String(decoding: message.payload, as: UTF8.self)
            .replacing(/("code":"before_promise",[^}]*"minutes":)"51"/) { "\($0.1)\"21\"" }
        return .init(subject: message.subject, payload: Data(text.utf8))
    }

    private func expect(step: String, _ harness: Harness) async throws {
        let published = try await harness.published()
        let expected = messages.filter { $0.step == step }.map { Self.countedFromBeginning($0.message) }
        #expect(published.count == expected.count, "\(step)")
        func expectSame<Value: Decodable & Equatable>(_ type: Value.Type, subject: String) {
            // The former version cut what is below a millisecond, this one rounds it: alike to the second. English words
            // may be revised; the codes and values beside them are what a screen is drawn from.
            func decoded(_ messages: [Harness.Message]) -> [Value] {
                messages.filter { $0.subject.hasPrefix(subject) }.compactMap { message in
                    let text = String(decoding: message.payload, as: UTF8.self)
                    let comparable = text.replacing(/(:\d\d)\.\d{3}Z/) { "\($0.1).000Z" }
                        .replacing(/"text":"[^"]*"/, with: #""text":"""#)
                    return try? WireJSON.decode(type, from: Data(comparable.utf8))
                }
            }
            let (new, former) = (decoded(published), decoded(expected))
            #expect(former.count == expected.count { $0.subject.hasPrefix(subject) }, "all are decoded")
            #expect(new.count == former.count, "\(step) \(subject)")
            for value in former { #expect(new.contains(value), "\(step) \(subject)") }
        }
        expectSame(FormerIntent.self, subject: "activities.")
        expectSame(EstimateChanged.self, subject: "couriers.estimate")
        expectSame(FormerMilestone.self, subject: "couriers.milestone")
    }

    /// What a milestone carried in the former version, which named no promise.
    private struct FormerMilestone: Decodable, Equatable {
        let delivery: DeliveryID
        let milestone: Milestone
        let assignmentEpoch: Int
        let at: Date
    }

    /// What an intent carried in the former version; one that is said again may be fresh for longer.
    private struct FormerIntent: Decodable, Equatable {
        let activity: ActivityID
        let customer: CustomerID
        let delivery: DeliveryID
        let writer: Writer
        let step: ActivityStep

        static func == (one: FormerIntent, other: FormerIntent) -> Bool {
            (one.activity, one.customer, one.delivery, one.writer)
                == (other.activity, other.customer, other.delivery, other.writer)
                && one.step.content == other.step.content
                && (one.step == other.step || one.step.prolongs(other.step) || other.step.prolongs(one.step))
        }
    }
}
