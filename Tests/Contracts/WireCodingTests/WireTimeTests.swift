import Foundation
import SeededRandom
import Testing

@testable import WireCoding

@Suite("Times on the wire")
struct WireTimeTests {
    private static func calendarText(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(Date.ISO8601FormatStyle())
    }

    @Test("Every day from 1970 to 2500 is the calendar's")
    func days() {
        for day in 0..<193_600 {
            let second = day * 86_400 + day % 86_400
            let text = Self.calendarText(second)
            #expect(WireTime(milliseconds: Double(second) * 1_000)?.text == "\(text.dropLast()).000Z")
            #expect(WireTime(text)?.milliseconds == Double(second) * 1_000)
        }
    }

    @Test(
        "Milliseconds and the last moment are kept", arguments: [0.0, 1, 999, 1_763_749_440_250, 253_402_300_799_999])
    func milliseconds(value: Double) throws {
        let text = try #require(WireTime(milliseconds: value)).text
        #expect(WireTime(text)?.milliseconds == value)
        #expect(WireJSON.date(from: text) == Date(timeIntervalSince1970: value / 1_000))
    }

    @Test("Other years are left to the calendar", arguments: [-1.0, 253_402_300_800_000, .infinity, .nan])
    func otherYears(value: Double) { #expect(WireTime(milliseconds: value) == nil) }

    @Test(
        "Any other form is left to the calendar",
        arguments: [
            "", "2026-11-21", "2026-11-21T18:24:00", "2026-11-21T18:24:00+01:00", "2026-11-21T18:24:00.25Z",
            "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T23:60:00Z", "2026-11-21T23:59:60Z", "1969-12-31T23:59:59Z",
            "2026-11-21 18:24:00Z", "2026-11-21T18:24:00,250Z", "２０26-11-21T18:24Z", "2026-11-21T18:24:0xZ",
        ])
    func otherForms(text: String) { #expect(WireTime(text) == nil) }

    @Test(
        "A time of a client is read in every form of RFC 3339, rounded to a millisecond, and in no other",
        arguments: [
            ("2026-11-21t18:24:00z", 1_795_285_440), ("2026-11-21T18:24:00.2503999Z", 1_795_285_440.25),
            ("2026-11-21T18:24:00.9996Z", 1_795_285_441), ("2026-11-21T19:24:00+01:00", 1_795_285_440),
            ("2026-11-21T18:23:60Z", 1_795_285_440), ("1969-12-31T23:59:59Z", -1), ("2026-11-21T18:24:00", nil),
            ("2026-11-21", nil), ("2026-11-21T18:24Z", nil), ("2026-11-21 18:24:00Z", nil),
        ] as [(String, Double?)])
    func client(text: String, seconds: Double?) {
        #expect(WireJSON.date(from: text) == seconds.map(Date.init(timeIntervalSince1970:)))
    }

    @Test("A text that either reads is the same time to both", arguments: 0..<20)
    func mutated(block: Int) {
        for seed in block * 100..<(block + 1) * 100 {
            var random = SeededGenerator(seed: UInt64(seed))
            var bytes = [UInt8](
                WireTime(milliseconds: Double(Int.random(in: 0..<4_000_000_000_000, using: &random)))!.text.utf8)
            bytes[bytes.indices.randomElement(using: &random)!] = "0123459:-TZ.".utf8.randomElement(using: &random)!
            let text = String(decoding: bytes, as: UTF8.self)
            guard let time = WireTime(text) else { continue }
            let calendar = try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            #expect(calendar.map { ($0.timeIntervalSince1970 * 1_000).rounded() } == time.milliseconds, "\(text)")
        }
    }
}
