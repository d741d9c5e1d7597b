import CommandOutput
import DoorstepAPI
import Foundation
import Testing
import TimePresentation

@testable import Doorstep

@Suite("Sessions in a terminal")
struct SessionsTextTests {
    private static func session(_ subject: String, name: String, tokenID: String?, issuer: String?) -> SessionBody {
        let start = Date(timeIntervalSince1970: 1_795_280_400)
        return SessionBody(
            subject: subject, name: name, role: .dispatcher, startedAt: start, seenAt: start.addingTimeInterval(60),
            expiresAt: start.addingTimeInterval(43_200), tokenID: tokenID, issuer: issuer)
    }

    @Test("Each line has who it is, what they may, until when, and what the session was begun with")
    func lines() {
        let times = StoreTimes(
            timeZone: "Europe/Copenhagen", now: Date(timeIntervalSince1970: 1_795_280_400 + 3_600))
        let text = [
            Self.session("oidc:login.example.com#u1", name: "Ada", tokenID: nil, issuer: "https://login.example.com"),
            Self.session("bo", name: "bo", tokenID: "t-1", issuer: nil),
            Self.session("bo", name: "bo\u{1B}[2J", tokenID: nil, issuer: nil),
        ].table(times).text
        let lines = text.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasPrefix("SUBJECT"))
        for part in [
            "oidc:login.example.com#u1", "Ada", "dispatcher", "https://login.example.com",
            "18:00:00  18:01:00   22 Nov 06:00:00",
        ] {
            #expect(lines[1].contains(part), "\(part)")
        }
        #expect(lines[2].hasSuffix("t-1") && lines[3].hasSuffix("a token without id"))
        #expect(!text.contains("\u{1B}"))
        #expect([SessionBody]().table(times).text == "nobody is signed in")
    }
}
