import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules
import Synchronization
import Testing
import WireCoding

@testable import Doorstep

@Suite("Following cards")
struct TrackSessionTests {
    /// Records what a session publishes, reports and saves.
    final class Recorder: TrackOutput {
        private let kept = Mutex<(events: [CardEvent], saved: DeviceState?, reports: [ReportBody])>(([], nil, []))
        private let permissions = Mutex<(attempts: [Bool], failures: Int)>(([], 0))

        /// Every registration of the permission, failed attempts included.
        var permitted: [Bool] { permissions.withLock { $0.attempts } }
        /// How many of the next attempts fail.
        func failToPermit(times: Int) { permissions.withLock { $0.failures = times } }

        var events: [CardEvent] { kept.withLock { $0.events } }
        var saved: DeviceState? { kept.withLock { $0.saved } }
        var reports: [ReportBody] { kept.withLock { $0.reports } }

        func changed(_ event: CardEvent) { kept.withLock { $0.events.append(event) } }
        func show(_ state: ScreenState) {}

        var actions: TrackSession.Actions {
            TrackSession.Actions(
                press: { url in
                    guard url.hasSuffix(Verb.leaveAtDoor.rawValue) else {
                        throw CommandFailure(.conflict, "Mira has left the store already")
                    }
                    return PressAnswer(sentence: "Asked Mira to leave it at the door ✓")
                },
                report: { reports in self.kept.withLock { $0.reports += reports } },
                permit: { isOn in
                    self.permissions.withLock { permissions in
                        permissions.attempts.append(isOn)
                        guard permissions.failures > 0 else { return true }
                        permissions.failures -= 1
                        return false
                    }
                },
                save: { state in self.kept.withLock { $0.saved = state } }, feedback: { _, _ in })
        }
    }

    /// A stream in memory that breaks after every few pushes and sends again what may have been lost.
    struct BreakingFeed: CardFeed {
        let pushes: [CardPush]
        let breaksAfter: Int

        func run(
            after sequence: String?, deliver: @escaping @Sendable (FeedEvent) async throws -> Void
        ) async throws {
            var next = sequence.flatMap { last in pushes.firstIndex { $0.sequence == last } }.map { $0 + 1 } ?? 0
            while next < pushes.count {
                try await deliver(.connected)
                for push in pushes[next...].prefix(breaksAfter) { try await deliver(.push(push)) }
                next += breaksAfter
                try await deliver(.lost(retryIn: .zero))
            }
        }
    }

    static let statuses: [DeliverySnapshot.Status] = [
        .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered,
    ]
    let clock = ManualClock(Date(timeIntervalSince1970: 1_795_280_000))

    /// The pushes of a delivery's whole life, a second apart.
    func life() throws -> [CardPush] {
        let now = clock.now.epochSeconds
        return try Self.statuses.enumerated().map { index, status in
            let sample = SampleDelivery(status: status, flags: [])
            let step = ActivityStep.after(
                sample.snapshot, arrival: sample.arrival, legProgress: sample.legProgress, step: 1, now: now)
            let payload: PushPayload =
                switch step {
                case .show(let shown):
                    index == 0
                        ? .start(shown, timestamp: now, alert: shown.alert)
                        : .update(shown, timestamp: now + index, alert: shown.alert)
                case .ended(let ended): .end(ended, timestamp: now + index, alert: ended.alert)
                }
            return CardPush(
                sequence: "\(100 + index)", card: "c-1", activity: "d-1042-1.1", delivery: "d-1042-1",
                payload: try PushPayload(decoding: payload.encoded()))
        }
    }

    private func session(_ recorder: Recorder, from saved: DeviceState? = nil) -> TrackSession {
        TrackSession(
            saved ?? DeviceState(phone: Phone()), clock: clock.domain, words: Words(locale: "en"), output: recorder,
            actions: recorder.actions)
    }

    @Test("A stream that breaks anywhere loses nothing and repeats nothing", arguments: 1...7)
    func breaks(after count: Int) async throws {
        let recorder = Recorder()
        let session = session(recorder)
        try await BreakingFeed(pushes: try life(), breaksAfter: count).run(after: nil) { try await session.receive($0) }
        let kinds = recorder.events.map(\.kind).filter { $0 != .stale }
        #expect(kinds == [.start, .update, .update, .update, .update, .update, .end])
        #expect(recorder.saved?.lastSequence == "106")
    }

    @Test("A run that is killed after any push goes on where it was, and shows the same card", arguments: 1...6)
    func resumes(after count: Int) async throws {
        let pushes = try life()
        let first = Recorder()
        let killed = session(first)
        for push in pushes.prefix(count) { try await killed.receive(.push(push)) }

        let second = Recorder()
        let session = session(second, from: first.saved)
        try await session.begin()
        #expect(second.events.map(\.card.content) == [first.events.last?.card.content])
        let feed = BreakingFeed(pushes: pushes, breaksAfter: 2)
        try await feed.run(after: first.saved?.lastSequence) { try await session.receive($0) }
        let updates = second.events.dropFirst().filter { $0.kind != .stale }
        #expect(updates.map(\.card.timestamp) == pushes.dropFirst(count).map(\.payload.aps.timestamp))
    }

    @Test("The key of the other side leaves the island's side, also on a phone without an island")
    func leavesIsland() async throws {
        let recorder = Recorder()
        let session = TrackSession(
            DeviceState(phone: Phone(hasIsland: false)), clock: clock.domain, words: Words(locale: "en"),
            presentation: .compact, output: recorder, actions: recorder.actions)
        #expect(await session.screen.side == .island)
        try await session.press("p")
        #expect(await session.screen.side == .lockScreen)
        try await session.press("p")
        #expect(await session.screen.side == .lockScreen)
    }

    @Test("The start and the dismissal of a card are reported, once each; the server knows its own end")
    func reports() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        for push in try life() { try await session.receive(.push(push)) }
        #expect(await !session.isOver)
        clock.advance(by: 4 * 3600)
        try await session.tick()
        #expect(await session.isOver)
        #expect(recorder.reports.map(\.kind) == [.started, .dismissed])
        #expect(recorder.events.last?.kind == .dismissed)
    }

    @Test("An end by the system after eight hours is reported")
    func systemEnd() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        for push in try life().prefix(1) { try await session.receive(.push(push)) }
        clock.advance(by: 8 * 3600)
        try await session.tick()
        #expect(recorder.reports.map(\.kind) == [.started, .ended])
    }

    @Test("What was reported while the stream was down is reported again when it opens")
    func reportsAgain() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        for push in try life().prefix(2) { try await session.receive(.push(push)) }
        try await session.receive(.connected)
        #expect(recorder.reports.map(\.kind) == [.started, .started])
    }

    @Test("A pressed button is answered in place, and a refusal says why")
    func presses() async throws {
        let session = session(Recorder())
        for push in try life().prefix(4) { try await session.receive(.push(push)) }
        #expect(try await session.press(.character("1")))
        #expect(await session.screen.answers["c-1"]?.text == "Asked Mira to leave it at the door ✓")
        #expect(try await session.press(.character("2")))
        #expect(await session.screen.answers["c-1"]?.text == "Mira has left the store already")
        #expect(try await session.press(.character("7")))
        #expect(await session.screen.answers["c-1"]?.text == "There is no button 7 on this card now")
        #expect(try await session.press(.character("p")))
        #expect(try await session.press(.character("1")))
        #expect(await session.screen.answers["c-1"]?.text.hasPrefix("Buttons are on") == true)
    }

    @Test("A swipe on the Lock Screen is kept and reported, and the order's later pushes show nothing")
    func swipe() async throws {
        let pushes = try life()
        let recorder = Recorder()
        let session = session(recorder)
        for push in pushes.prefix(3) { try await session.receive(.push(push)) }
        try await session.perform(.dismiss, on: "c-1")
        #expect(recorder.reports.last?.kind == .dismissed)
        #expect(recorder.saved?.phone[card: "c-1"]?.state == .dismissed)
        let count = recorder.events.count
        for push in pushes.dropFirst(3) { try await session.receive(.push(push)) }
        #expect(recorder.events.count == count)
    }

    @Test("Switching Live Activities off and on again reaches the server each time, however it is registered")
    func permission() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        try await session.receive(.connected)
        #expect(try await session.press(.character("s")))
        #expect(recorder.permitted == [false])
        #expect(try await session.press(.character("s")))
        #expect(recorder.permitted == [false, true])
        try await session.tick()
        #expect(recorder.permitted == [false, true])
    }

    @Test("A permission that the server did not accept is registered again while the stream is open")
    func unsynchronizedPermission() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        try await session.receive(.connected)
        recorder.failToPermit(times: 2)
        #expect(try await session.press(.character("s")))
        try await session.receive(.lost(retryIn: .zero))
        try await session.tick()
        #expect(recorder.permitted == [false])
        try await session.receive(.connected)
        for _ in 0..<4 { try await session.tick() }
        #expect(recorder.permitted == [false, false, false])
    }

    @Test("Leaving is a choice, and Ctrl-C is an interruption")
    func leaving() async throws {
        let session = session(Recorder())
        #expect(try await !session.press(.character("q")))
        await #expect { try await session.press(.interrupt) } throws: { ($0 as? CommandFailure)?.kind == .interrupted }
    }

    @Test("A line of JSON has the agreed keys")
    func json() async throws {
        let recorder = Recorder()
        let session = session(recorder)
        for push in try life().prefix(1) { try await session.receive(.push(push)) }
        let text = try TrackLine(try #require(recorder.events.first)).text()
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(
            object.keys.sorted() == ["at", "attributes", "card", "content", "delivery", "event", "state", "timestamp"])
        #expect(object["event"] as? String == "start")
        #expect(!text.contains("\n"))
    }
}
