import CommandOutput
import DomainTime
import Foundation
import LiveActivity
import PhoneRules
import Testing

@testable import Doorstep

@Suite("Leaving the live screen", .timeLimit(.minutes(5)))
struct TrackRunTests {
    /// A stream on which nothing comes.
    private struct QuietFeed: CardFeed {
        func run(after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void) async throws {
            let (nothing, end) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            end.finish()
        }
    }

    @Test(
        "q and Ctrl-C leave while a press waits for its answer, and say whether its outcome is unknown",
        arguments: [Key.character("q"), .interrupt], ["1", "3"] as [Character])
    func leaves(key: Key, button: Character) async throws {
        let (began, begin) = AsyncStream.makeStream(of: String.self)
        let (never, end) = AsyncStream.makeStream(of: PressAnswer.self)
        defer { end.finish() }
        let cards = FollowedCards()
        let session = Self.session(cards, begin, never)
        try await session.receive(FollowedCards.push(.accepted))
        let (keys, nextKey) = AsyncStream.makeStream(of: Key.self)
        var failure: CommandFailure?
        do {
            async let run: Void = TrackRun(session: session, untilEnded: false).run(QuietFeed(), after: nil, keys: keys)
            nextKey.yield(.character(button))
            for await _ in began { break }
            nextKey.yield(key)
            try await run
        } catch let error as CommandFailure {
            failure = error
        }
        let kind: CommandFailure.Kind? = key == .interrupt ? .interrupted : nil
        #expect(failure?.kind == kind)
        // The third shows the details, and changes nothing.
        #expect(await session.sentencesOnLeaving == (button == "1" ? [Self.unknown] : []))
        #expect(await session.answer() == "Asking …")
        #expect(cards.shown?.answers["c-1"]?.text == "Asking …")
    }

    @Test(
        "A character behind a press that waits for its answer is not begun on leaving, which a sentence names",
        arguments: [Key.character("q"), .interrupt], [Key.character("2"), .down])
    func leavesBehind(key: Key, waiting: Key) async throws {
        let (began, begin) = AsyncStream.makeStream(of: String.self)
        let (never, end) = AsyncStream.makeStream(of: PressAnswer.self)
        defer { end.finish() }
        let cards = FollowedCards()
        let session = Self.session(cards, begin, never)
        try await session.receive(FollowedCards.push(.accepted))
        let (keys, nextKey) = AsyncStream.makeStream(of: Key.self)
        do {
            async let run: Void = TrackRun(session: session, untilEnded: false).run(QuietFeed(), after: nil, keys: keys)
            nextKey.yield(.character("1"))
            for await _ in began { break }
            nextKey.yield(waiting)
            nextKey.yield(key)
            try await run
        } catch let error as CommandFailure {
            #expect(error.kind == .interrupted && key == .interrupt)
        }
        let notBegun = waiting == .down ? [] : ["What you pressed last was not done."]
        #expect(await session.sentencesOnLeaving == [Self.unknown] + notBegun)
        begin.finish()
        for await url in began { Issue.record("\(url) was pressed behind it") }
    }

    private static let unknown = "You left while it was being sent: the next run shows whether it was done."

    /// A session whose presses begin, and wait for an answer that does not come.
    private static func session(
        _ cards: FollowedCards, _ begin: AsyncStream<String>.Continuation, _ never: AsyncStream<PressAnswer>
    ) -> TrackSession {
        TrackSession(
            DeviceState(phone: Phone()), clock: cards.clock.domain, words: Words(locale: "en"), output: cards,
            actions: TrackSession.Actions(
                press: { url in
                    begin.yield(url)
                    for await answer in never { return answer }
                    throw CancellationError()
                },
                report: { _ in }, permit: { _ in true }, save: { _ in }, feedback: { _, _ in }),
            elapsed: { .zero })
    }
}
