import Foundation
import Testing
import WireCoding

@testable import Doorstep

@Suite("Times as operators write them")
struct StoreTimeTests {
    private static func meant(_ text: String, now: String, zone: String = "Europe/Copenhagen") throws -> String {
        let time = try #require(StoreTime(text))
        let now = try #require(WireJSON.date(from: now))
        return WireJSON.text(of: time.date(in: try #require(TimeZone(identifier: zone)), now: now))
    }

    @Test("A clock time is the store's, of today, and of tomorrow where today's is over half a day ago")
    func clock() throws {
        #expect(try Self.meant("20:30", now: "2026-11-22T18:52:00Z") == "2026-11-22T19:30:00.000Z")
        #expect(try Self.meant("19:00", now: "2026-11-22T18:52:00Z") == "2026-11-22T18:00:00.000Z")
        #expect(try Self.meant("06:00", now: "2026-11-22T18:52:00Z") == "2026-11-23T05:00:00.000Z")
        #expect(try Self.meant("00:15", now: "2026-11-22T22:50:00Z") == "2026-11-22T23:15:00.000Z")
        #expect(try Self.meant("20:30", now: "2026-11-22T18:52:00Z", zone: "UTC") == "2026-11-22T20:30:00.000Z")
    }

    @Test("A clock time that the change to summer time skips is the first after it")
    func skipped() throws {
        #expect(try Self.meant("02:30", now: "2027-03-27T23:30:00Z") == "2027-03-28T01:00:00.000Z")
    }

    @Test("Of the past a clock time is the whole minute, up to now, and yesterday's where today's is to come")
    func past() throws {
        func last(_ text: String, _ now: String) throws -> String {
            let now = try #require(WireJSON.date(from: now))
            let zone = try #require(TimeZone(identifier: "Europe/Copenhagen"))
            return WireJSON.text(of: try #require(StoreTime(text)).lastMoment(in: zone, now: now))
        }
        #expect(try last("18:12", "2026-11-22T18:52:00Z") == "2026-11-22T17:12:59.000Z")
        #expect(try last("19:52", "2026-11-22T18:52:14Z") == "2026-11-22T18:52:14.000Z")
        #expect(try last("20:30", "2026-11-22T18:52:00Z") == "2026-11-21T19:30:59.000Z")
        #expect(try last("2026-11-22T18:12:00Z", "2026-11-22T18:52:00Z") == "2026-11-22T18:12:00.000Z")
    }

    @Test("Where the clocks change a day has 23 or 25 hours, and the clock time is still that of the store")
    func changeOfClocks() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Copenhagen"))
        func date(_ text: String) throws -> Date { try #require(WireJSON.date(from: text)) }
        func last(_ text: String, _ now: String) throws -> String {
            WireJSON.text(of: try #require(StoreTime(text)).lastMoment(in: zone, now: try date(now)))
        }
        // To summer time in the night to 28 March 2027, and back in the night to 31 October.
        #expect(try last("20:30", "2027-03-28T10:00:00Z") == "2027-03-27T19:30:59.000Z")
        #expect(try last("20:30", "2027-10-31T10:00:00Z") == "2027-10-30T18:30:59.000Z")

        func end(_ text: String, _ start: String, _ now: String) throws -> String {
            WireJSON.text(
                of: try #require(StoreTime(text)).end(after: try date(start), in: zone, now: try date(now)))
        }
        #expect(try end("08:00", "2027-03-27T22:30:00Z", "2027-03-27T20:00:00Z") == "2027-03-28T06:00:00.000Z")
        #expect(try end("08:00", "2027-10-30T21:30:00Z", "2027-10-30T20:00:00Z") == "2027-10-31T07:00:00.000Z")

        // Half past two comes at 00:30 and at 01:30 UTC.
        #expect(try last("02:45", "2026-10-25T01:50:00Z") == "2026-10-25T01:45:59.000Z")
        #expect(try last("02:45", "2026-10-25T01:40:00Z") == "2026-10-25T00:45:59.000Z")
        #expect(try end("02:15", "2026-10-25T00:45:00Z", "2026-10-25T00:00:00Z") == "2026-10-25T01:15:00.000Z")
        for (now, next) in [("00:10", "00:30"), ("01:10", "01:30"), ("03:00", "01:30")] {
            #expect(try Self.meant("02:30", now: "2026-10-25T\(now):00Z") == "2026-10-25T\(next):00.000Z")
        }
    }

    @Test("A window ends at the first such time after it begins, over midnight too, and on whatever day it begins")
    func ends() throws {
        func end(_ text: String, _ start: String) throws -> String {
            let zone = try #require(TimeZone(identifier: "Europe/Copenhagen"))
            let dates = try [start, "2026-11-22T18:52:00Z"].map { try #require(WireJSON.date(from: $0)) }
            return WireJSON.text(of: try #require(StoreTime(text)).end(after: dates[0], in: zone, now: dates[1]))
        }
        #expect(try end("21:30", "2026-11-22T19:30:00Z") == "2026-11-22T20:30:00.000Z")
        #expect(try end("00:30", "2026-11-22T22:30:00Z") == "2026-11-22T23:30:00.000Z")
        #expect(try end("21:30", "2026-11-25T19:30:00Z") == "2026-11-25T20:30:00.000Z")
        #expect(try end("2026-11-22T20:30:00Z", "2026-11-22T19:30:00Z") == "2026-11-22T20:30:00.000Z")
    }

    @Test("An instant is itself, and nothing else is a time")
    func instants() throws {
        #expect(try Self.meant("2026-11-22T20:30:00Z", now: "2026-11-22T18:52:00Z") == "2026-11-22T20:30:00.000Z")
        for text in ["", "20", "2030", "24:00", "20:60", "8:30", "20:30:00", "-1:30", "+2:30", "aa:bb", "２０:30"] {
            #expect(StoreTime(text) == nil, "\(text)")
        }
    }
}
