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

    @Test("An instant is itself, and nothing else is a time")
    func instants() throws {
        #expect(try Self.meant("2026-11-22T20:30:00Z", now: "2026-11-22T18:52:00Z") == "2026-11-22T20:30:00.000Z")
        for text in ["", "20", "2030", "24:00", "20:60", "8:30", "20:30:00", "-1:30", "+2:30", "aa:bb", "２０:30"] {
            #expect(StoreTime(text) == nil, "\(text)")
        }
    }
}
