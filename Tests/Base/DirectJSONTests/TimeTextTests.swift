import DirectJSON
import Foundation
import Testing

@Suite("Times as text")
struct TimeTextTests {
    @Test(
        "Every form of RFC 3339 is read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T18:01:30Z", 1_795_284_090),
            ("2026-11-21t18:01:30z", 1_795_284_090), ("2026-11-21T18:01:30z", 1_795_284_090),
            ("2026-11-21T18:01:30.250Z", 1_795_284_090.25), ("2026-11-21t18:01:30.5z", 1_795_284_090.5),
            ("2026-11-21T18:01:30.250000Z", 1_795_284_090.25), ("2026-11-21T18:01:30.250000000Z", 1_795_284_090.25),
            ("2026-11-21T18:01:30.2500000000000000000000000000000000000001Z", 1_795_284_090.25),
            ("2026-11-21T20:01:30+0200", 1_795_284_090), ("2026-11-21T20:01:30+02:00", 1_795_284_090),
            ("2026-11-21T10:01:30.250-08:00", 1_795_284_090.25), ("2026-11-21T23:46:30+05:45", 1_795_284_090),
            ("2026-11-21T18:01:30+00:00", 1_795_284_090), ("2026-11-21T18:01:30-00:00", 1_795_284_090),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("2016-12-31T15:59:60.5-08:00", 1_483_228_800.5),
            ("2024-02-29T12:00:00Z", 1_709_208_000), ("2000-03-01T00:00:00Z", 951_868_800),
            ("1969-12-31T23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ] as [(String, Double)])
    func readable(text: String, seconds: Double) {
        #expect(TimeText.seconds(of: text) == seconds)
        #expect(TimeText.seconds(of: text, isLoose: true) == seconds)
    }

    @Test(
        "Read loosely, a time may have a blank, and no seconds and no offset, which is in UTC then",
        arguments: [
            ("2026-11-21T11:01:30-07", 1_795_284_090), ("2026-11-21 18:01:30", 1_795_284_090),
            ("2026-11-21T18:01:30", 1_795_284_090), ("2026-11-21T18:01Z", 1_795_284_060),
            ("2026-11-21 18:01", 1_795_284_060),
        ] as [(String, Double)])
    func loose(text: String, seconds: Double) {
        #expect(TimeText.seconds(of: text, isLoose: true) == seconds)
        if !text.hasSuffix("-07") { #expect(TimeText.seconds(of: text) == nil) }
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "now", "2026-11-21", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-21T24:00:00Z",
            "2026-11-21T18:61:00Z", "2026-11-21T18:01:61Z", "2026-11-21T18:01:30.Z", "2026-11-21T18:01:30 EST",
            "26-11-21T18:01:30Z", "2026-11-21T18:01:30Zulu", "2026-11-21T18:01:30+02:60", "２０２６-11-21T18:01:30Z",
        ])
    func unreadable(text: String) {
        #expect(TimeText.seconds(of: text) == nil)
        #expect(TimeText.seconds(of: text, isLoose: true) == nil)
    }

    @Test("It agrees with the library's calendar on every day of fifty years")
    func agrees() {
        let style = Date.ISO8601FormatStyle()
        for day in stride(from: 0.0, to: 365.25 * 50, by: 1) {
            let date = Date(timeIntervalSince1970: day * 86_400 + 45_296)
            #expect(TimeText.seconds(of: date.formatted(style)) == date.timeIntervalSince1970)
        }
    }
}
