import CommandOutput
import DomainTime
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("The question after the end in a terminal")
struct FeedbackKeysTests {
    let cards = FollowedCards()

    /// A session whose card has the button, pressed once.
    ///
    /// - Parameter session: the session; nil for one that answers as ``cards`` say.
    private func asked(locale: String = "en", _ session: TrackSession? = nil) async throws -> TrackSession {
        let session = session ?? cards.session(locale: locale)
        try await session.receive(.connected)
        try await session.receive(
            FollowedCards.push(.atDoor) { content in
                content.buttons.append(
                    CardButton(verb: "feedback", title: "All right?", url: "https://doorstep.example/l/f"))
            })
        try await session.press("8")
        return session
    }

    @Test("The button shows the answers with their digits, and one digit sends the answer")
    func answers() async throws {
        for (locale, question, given) in [
            ("en", "Was everything all right?", "You have answered: Something is missing."),
            ("da", "Var alt i orden?", "Du har svaret: Der mangler noget."),
        ] {
            let session = try await asked(locale: locale)
            #expect(await session.answer() == question)
            #expect(await session.screen.answers["c-1"]?.lines.count == 5)
            try await session.press("2")
            #expect(cards.feedback.last == "d-1042-1: missing")
            #expect(await session.answer() == given)
        }
        #expect(cards.feedback.count == 2)
    }

    @Test("Any other key closes it, and the digits have their own meaning again")
    func closed() async throws {
        let session = try await asked()
        try await session.press("x")
        #expect(await session.answer() == nil)
        try await session.press("3")
        #expect(cards.pressed.last == "https://doorstep.example/l/c-1/details" && cards.feedback.isEmpty)
        try await session.press("8")
        cards.pass(TrackSession.detailsTime)
        try await session.press("3")
        #expect(cards.pressed.last == "https://doorstep.example/l/c-1/details", "the question was off the screen")
        #expect(cards.feedback.isEmpty)
    }

    @Test("A refused answer has its reason")
    func refused() async throws {
        let session = try await asked()
        cards.answer(.failure(CommandFailure(.conflict, "the store has decided about it already")))
        try await session.press("1")
        #expect(await session.answer() == "the store has decided about it already" && cards.feedback.isEmpty)
    }

    @Test("Leaving while an answer is sent shows no failure", .timeLimit(.minutes(5)))
    func left() async throws {
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (never, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        let session = try await asked(
            TrackSession(
                DeviceState(phone: Phone()), clock: cards.clock.domain, words: Words(locale: "en"), output: cards,
                actions: TrackSession.Actions(
                    press: { _ in PressAnswer(sentence: "Done") }, report: { _ in }, permit: { _ in true },
                    save: { _ in },
                    feedback: { _, _ in
                        begin.yield()
                        for await _ in never {}
                        throw CancellationError()
                    }),
                elapsed: { .zero }))
        let pressing = Task { try await session.press("2") }
        for await _ in began { break }
        pressing.cancel()
        try await pressing.value
        #expect(await session.answer() == "Asking …")
    }
}
