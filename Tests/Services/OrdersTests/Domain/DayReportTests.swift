import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Orders

@Suite("A day in numbers")
struct DayReportTests {
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)
    private static let promise = Promise(start: noon, end: noon + 3_600).unsafelyUnwrapped

    /// Two stores of UTC, and one of New York.
    private static let stores: [StoreID: ReportedStore] = [
        StoreID(rawValue: "nordhavn").unsafelyUnwrapped: ReportedStore(name: "Nordhavn", timeZone: "UTC"),
        StoreID(rawValue: "valby").unsafelyUnwrapped: ReportedStore(name: "Valby", timeZone: "UTC"),
        StoreID(rawValue: "harlem").unsafelyUnwrapped: ReportedStore(name: "Harlem", timeZone: "America/New_York"),
    ]
    private static let names = [CourierID(rawValue: "mira").unsafelyUnwrapped: "Mira"]

    private func event(
        _ kind: ReportedEvent.Kind, after seconds: TimeInterval = 0, store: String = "nordhavn",
        courier: String? = "mira"
    ) throws -> ReportedEvent {
        ReportedEvent(
            kind: kind, at: Self.noon + seconds, store: try #require(StoreID(rawValue: store)),
            courier: courier.flatMap(CourierID.init(rawValue:)))
    }

    private func delivered(after seconds: TimeInterval) throws -> ReportedEvent {
        try event(.ended(.delivered, promise: Self.promise, reason: nil), after: seconds)
    }

    @Test("Delivered ones are early or late by whole minutes, or in the window; a band has its upper bound")
    func bands() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        let around: [TimeInterval] = [-60, -59, 0, 3_600, 3_659]
        let late: [TimeInterval] = [60, 359, 360, 959, 960, 1_859, 1_860].map { 3_600 + $0 }
        for seconds in around + late { report.add(try delivered(after: seconds)) }
        let figures = report.body(names: Self.names).figures
        #expect(figures.delivered == 12 && figures.early == 1 && figures.inWindow == 4 && figures.late.count == 7)
        #expect(figures.late.upTo5Minutes == 2 && figures.late.upTo15Minutes == 2)
        #expect(figures.late.upTo30Minutes == 2 && figures.late.over30Minutes == 1)
    }

    @Test("Stores and couriers have their own rows, and what is placed has no courier yet")
    func rows() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        report.add(try event(.placed))
        report.add(try event(.placed, store: "valby", courier: nil))
        report.add(try event(.attempted, store: "valby", courier: "jonas"))
        report.add(try event(.ended(.returned, promise: Self.promise, reason: nil), store: "valby", courier: "jonas"))
        report.add(try delivered(after: 10))
        let body = report.body(names: Self.names)
        #expect(body.placed == 2)
        #expect(body.stores.map(\.name) == ["Nordhavn", "Valby"])
        #expect(body.stores.map(\.placed) == [1, 1])
        #expect(body.stores.map(\.figures.attempts) == [0, 1])
        #expect(body.couriers.map(\.name) == ["Mira", "jonas"])
        #expect(body.couriers.map(\.figures.delivered) == [1, 0])
        #expect(body.couriers.map(\.figures.returned) == [0, 1])
    }

    @Test("Customers' feedback counts in all and by store, and for no courier")
    func feedback() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        let kinds: [DeliveryFeedback.Kind?] = [nil, .allRight, .missing, .missing, .notHere]
        for kind in kinds {
            report.add(
                try event(.ended(.delivered, promise: Self.promise, reason: nil, feedback: kind), after: 10))
        }
        let body = report.body(names: Self.names)
        let expected = DayReportBody.Feedback([.allRight: 1, .missing: 2, .notHere: 1])
        #expect(body.figures.feedback == expected && body.stores.map(\.figures.feedback) == [expected])
        #expect(expected.problems == 3 && body.couriers.map(\.figures.feedback) == [nil])
    }

    @Test("Presses count by verb, in all and by store, and are of no courier")
    func presses() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        report.add(try event(.pressed("cancel"), store: "valby"))
        for _ in 0..<2 { report.add(try event(.pressed("leave-at-door"))) }
        report.add(try event(.pressed("cancel"), after: 86_400))
        let body = report.body(names: Self.names)
        let (leave, cancel) = (
            DayReportBody.Press(verb: "leave-at-door", count: 2), DayReportBody.Press(verb: "cancel", count: 1)
        )
        #expect(body.presses == [leave, cancel] && body.stores.map(\.presses) == [[leave], [cancel]])
        #expect(body.couriers.isEmpty)
    }

    @Test("An event counts on the day of its store's time zone")
    func zones() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        let late = 12.5 * 3_600
        report.add(try event(.placed, after: late))
        #expect(report.body(names: Self.names).placed == 0)
        report.add(try event(.placed, after: late, store: "harlem"))
        let body = report.body(names: Self.names)
        #expect(body.placed == 1 && body.stores.map(\.timeZone) == ["America/New_York"])
        let span = try #require(report.span)
        #expect(span.start == Self.noon - 12 * 3_600 && span.end == Self.noon + 17 * 3_600)
    }

    @Test("Cancellations are counted by reason, the most frequent first, in bounded memory")
    func reasons() throws {
        var report = DayReport(.today, stores: Self.stores, now: Self.noon)
        func cancel(_ reason: String?) throws {
            report.add(try event(.ended(.cancelled, promise: Self.promise, reason: reason)))
        }
        try cancel(nil)
        for _ in 0..<2 { try cancel("customer_request") }
        #expect(report.body(names: Self.names).cancellations.map(\.reason) == ["customer_request", "none"])
        for number in 0..<1_000 { try cancel("reason \(number)") }
        let cancellations = report.body(names: Self.names).cancellations
        #expect(cancellations.count == DayReport.reasonsMax + 1)
        #expect(cancellations.first?.reason == "other" && report.body(names: Self.names).figures.cancelled == 1_003)
        #expect(cancellations.map(\.count).reduce(0, +) == 1_003)
    }
}
