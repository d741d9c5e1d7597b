import Foundation
import Testing
import TextCoding

@Suite("Dates of HTTP")
struct HTTPDateTests {
    @Test(
        "HTTP's dates are read and written, and nothing else is read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Thu, 31 Dec 2026 23:59:59 GMT", 1_798_761_599), ("06 Nov 1994 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Double?)])
    func dates(text: String, seconds: Double?) {
        let date = seconds.map { Date(timeIntervalSince1970: $0) }
        #expect(HTTPDate.parse(text) == date)
        if let date { #expect(HTTPDate.format(date) == text) }
    }
}
