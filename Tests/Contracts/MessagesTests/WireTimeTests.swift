import Foundation
import SeededRandom
import Testing
import WireCoding

@Suite("Times on the wire")
struct WireTimeTests {
    /// Seconds from 1970 to the end of 2099.
    private static let seconds = 0...4_102_444_799

    private func padded(_ number: Int, _ digits: Int) -> String {
        String(String(number + 1_000_000).suffix(digits))
    }

    @Test("A time with milliseconds is the same text after it was read", arguments: 0..<20)
    func textIsKept(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let whole = Date(timeIntervalSince1970: Double(Int.random(in: Self.seconds, using: &random)))
            let text = "\(WireJSON.text(of: whole).prefix(19)).\(padded(Int.random(in: 0...999, using: &random), 3))Z"
            #expect(WireJSON.text(of: try #require(WireJSON.date(from: text))) == text)
        }
    }

    @Test("A time that was read is the same after it was written and read again, however fine", arguments: 0..<20)
    func dateIsKept(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(1_000 + seed))
        for _ in 0..<500 {
            let whole = Date(timeIntervalSince1970: Double(Int.random(in: Self.seconds, using: &random)))
            let fraction = padded(Int.random(in: 0...999_999, using: &random), 6)
            let text = "\(WireJSON.text(of: whole).prefix(19)).\(fraction)Z"
            let date = try #require(WireJSON.date(from: text))
            #expect(WireJSON.date(from: WireJSON.text(of: date)) == date, "\(text)")
        }
    }

    @Test(
        "A time is rounded to the nearest millisecond, over the end of a second too",
        arguments: [
            (1_795_262_400.361, "2026-11-21T12:00:00.361Z"), (1_795_262_400.3604, "2026-11-21T12:00:00.360Z"),
            (1_795_262_400.3606, "2026-11-21T12:00:00.361Z"), (1_795_262_400.9996, "2026-11-21T12:00:01.000Z"),
            (-0.001, "1969-12-31T23:59:59.999Z"),
        ])
    func rounded(seconds: Double, text: String) {
        #expect(WireJSON.text(of: Date(timeIntervalSince1970: seconds)) == text)
    }
}
