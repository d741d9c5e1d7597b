import CommandOutput
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("Details of a delivery")
struct DetailsTests {
    let cards = FollowedCards()

    private func answered(locale: String) async throws -> TrackSession {
        let session = cards.session(locale: locale)
        let details = SampleDelivery(status: .delivered, flags: []).snapshot.details
        cards.answer(.success(PressAnswer(sentence: "Order G-1042 from Nordhavn", details: details)))
        try await session.receive(.connected)
        try await session.receive(FollowedCards.push(.enRoute))
        try await session.press("3")
        return session
    }

    private func rows(_ state: ScreenState, _ locale: String, columns: Int = 80, rows: Int = 24) -> [String] {
        Screen(words: Words(locale: locale), hasColors: false)
            .rows(state, size: TerminalSize(columns: columns, rows: rows))
    }

    @Test("They are below the card in its language, and go when the button is pressed again")
    func lines() async throws {
        for (locale, line) in [
            ("en", "Whole milk: swapped for Oat milk, 4.50 kr. more"),
            ("da", "Rye bread: udsolgt, 25,00 kr. refunderet"),
        ] {
            let session = try await answered(locale: locale)
            #expect(rows(await session.screen, locale).contains { $0.contains(line) })
            #expect(rows(await session.screen, locale, columns: 40).joined().contains(line.prefix(10)))
            cards.pass(.seconds(30))
            try await session.tick()
            #expect(rows(await session.screen, locale).contains { $0.contains(line) }, "there is time to read them")
            try await session.press("3")
            #expect(!rows(await session.screen, locale).contains { $0.contains(line) })
        }
    }

    @Test("They go when the delivery changes, and stay while only its estimate does")
    func changed() async throws {
        let session = try await answered(locale: "en")
        for (version, hasLines) in [(4, true), (5, false)] {
            try await session.receive(
                FollowedCards.push(.enRoute, event: .update, after: version) { content in
                    content.revision = Revision(version: content.revision.version + version - 4, step: version)
                })
            #expect(await (session.screen.answers["c-1"] != nil) == hasLines)
        }
    }

    @Test("Where they do not all fit, the rest is counted", arguments: [12, 14, 15, 16, 24])
    func fit(count: Int) async throws {
        let session = try await answered(locale: "en")
        let rows = rows(await session.screen, "en", rows: count)
        #expect(rows.count <= count && rows.allSatisfy { $0.columns <= 80 })
        let lines = rows.filter { $0.contains("Oat milk") || $0.contains("Rye bread:") || $0.contains("kr. refunded") }
        #expect(lines.count >= 3 || rows.contains { $0.contains("more") } || count < 14)
    }
}
