import APIClient
import ArgumentParser
import CommandLineTestSupport
import CommandOutput
import EmulatorAPI
import Foundation
import LiveActivity
import NIOHTTP1
import PhoneRules
import ScriptedPeers
import Synchronization
import Testing

@testable import Doorstep

@Suite("An emulated phone in a terminal")
struct EmulatedPhoneTests {
    static let now = FollowedCards.now

    /// A phone with what became of its pushes.
    private struct Pushed {
        var phone: PushedPhone
        var pushes: [PushLogLine] = []
        private var count = 0

        init(hasIsland: Bool = true, activities: Bool = true) {
            var settings = PushedPhone.Settings(osVersion: OSVersion(18), bundleID: "shop.nordhavn.app", tokenSeed: 1)
            settings.hasIsland = hasIsland
            phone = PushedPhone(settings, at: EmulatedPhoneTests.now)
            if !activities { _ = phone.switchLiveActivities(on: false, at: EmulatedPhoneTests.now) }
        }

        /// Pushes a delivery in this status: a start, or an update of the newest card.
        mutating func push(
            _ status: DeliverySnapshot.Status, _ event: PushPayload.Event = .start, at time: Int,
            priority: Int = 10
        ) throws {
            let sample = SampleDelivery(status: status, flags: [])
            let step = ActivityStep.after(sample.snapshot, arrival: sample.arrival, step: 1 + count, now: sample.now)
            let payload: PushPayload
            switch step {
            case .show(let shown) where event == .start: payload = .start(shown, timestamp: time, alert: nil)
            case .show(let shown): payload = .update(shown, timestamp: time, alert: shown.alert)
            case .ended(let ended): payload = .end(ended, timestamp: time, alert: nil)
            }
            count += 1
            let token =
                event == .start
                ? phone.startToken : phone.activities.last.flatMap { phone.updateToken(of: $0.instance) }
            let bytes = [UInt8](try JSONEncoder().encode(payload))
            let push = PendingPush(
                id: "push-\(count)", token: token ?? "", priority: priority, expiration: nil, bytes: bytes)
            for effect in phone.deliver(push, at: time) {
                guard case .settled(let id, let outcome) = effect else { continue }
                pushes.append(
                    PushLogLine(at: time, id: id, outcome: outcome, event: event.rawValue, priority: priority))
            }
        }

        func body(at time: Int) -> EmulatedPhoneBody {
            var phone = phone
            _ = phone.advance(to: time)
            return EmulatedPhoneBody(
                phone, id: "iphone-1", environment: .production, language: "en", appError: nil, counts: [:],
                pushes: pushes, at: time)
        }
    }

    private func view(_ pushed: Pushed, at time: Int, language: String = "en") -> EmulatedPhoneView {
        var view = EmulatedPhoneView(id: "iphone-1", now: time)
        view.connection = .open
        _ = view.update(pushed.body(at: time))
        return view
    }

    private func picture(_ view: EmulatedPhoneView, language: String = "en") -> String {
        EmulatedPhoneDrawing(words: Words(locale: language), hasColors: false).picture(view)
            .joined(separator: "\n") + "\n"
    }

    /// Every state that has a picture of its own.
    private func states() throws -> [(name: String, view: EmulatedPhoneView)] {
        let empty = Pushed()
        var started = Pushed()
        try started.push(.enRoute, at: Self.now)
        var updated = started
        try updated.push(.atDoor, .update, at: Self.now + 60)
        var offline = started
        _ = offline.phone.setOnline(false, at: Self.now + 30)
        try offline.push(.arriving, .update, at: Self.now + 40)
        try offline.push(.atDoor, .update, at: Self.now + 50, priority: 5)
        var killed = started
        _ = killed.phone.killApp(at: Self.now + 30)
        killed.phone.exhaustBudgets(updates: true, starts: true, at: Self.now + 30)
        try killed.push(.arriving, .update, at: Self.now + 40)
        var beside = started
        _ = beside.phone.updateOtherApp(.app, at: Self.now - 30)
        var music = started
        _ = music.phone.updateOtherApp(.music, at: Self.now - 30)
        var plain = Pushed(hasIsland: false)
        try plain.push(.enRoute, at: Self.now)
        var ended = started
        try ended.push(.delivered, .end, at: Self.now + 90)
        var off = Pushed(activities: false)
        try off.push(.enRoute, at: Self.now)
        let quiet = Self.now + 30
        return [
            ("empty", view(empty, at: quiet)), ("alert", view(started, at: Self.now + 2)),
            ("compact", view(started, at: quiet)), ("expanded-update", view(updated, at: Self.now + 61)),
            ("offline", view(offline, at: Self.now + 60)), ("app-killed", view(killed, at: Self.now + 60)),
            ("minimal", view(beside, at: quiet)), ("music", view(music, at: quiet)),
            ("banner", view(plain, at: Self.now + 2)),
            ("ended", view(ended, at: Self.now + 100)), ("activities-off", view(off, at: quiet)),
        ]
    }

    @Test("Every state of a phone looks as agreed", arguments: ["en", "da"])
    func golden(language: String) throws {
        let all = try states().map { "\($0.name)\n\(picture($0.view, language: language))" }.joined(separator: "\n")
        try expectGolden(all, "emulated-phone/\(language).txt")
    }

    @Test(
        "The screen never has more rows or columns than the terminal, alone or beside this device",
        arguments: [(200, 50), (124, 30), (100, 40), (60, 24), (80, 12), (40, 10), (20, 3)])
    func bounds(columns: Int, rows count: Int) throws {
        let screen = PairedScreen(words: Words(locale: "en"), hasColors: false)
        let state = ScreenState(phone: Phone(), now: Self.now, connection: .open)
        for (name, view) in try states() {
            for state in [state, nil] {
                let rows = screen.rows(state, view, size: TerminalSize(columns: columns, rows: count))
                #expect(rows.count <= count, "\(name)")
                #expect(rows.allSatisfy { $0.columns <= columns }, "\(name)")
            }
        }
    }

    @Test("Side by side where there is room for both, one above the other in a tall terminal, else this device alone")
    func places() throws {
        let screen = PairedScreen(words: Words(locale: "en"), hasColors: true)
        let state = ScreenState(phone: Phone(), now: Self.now, connection: .open)
        let view = try #require(try states().first { $0.name == "compact" }?.view)
        let wide = screen.rows(state, view, size: TerminalSize(columns: 130, rows: 40))
        #expect(wide.first.map { $0.contains("This terminal") && $0.contains("Emulated iPhone") } == true)
        let tall = screen.rows(state, view, size: TerminalSize(columns: 100, rows: 40))
        #expect(tall.first?.contains("Emulated iPhone") == false)
        #expect(tall.contains { $0.contains("Emulated iPhone") })
        #expect(tall.contains { $0.contains("iphone-1 · iOS 18.0 · online · app open") })
        let low = screen.rows(state, view, size: TerminalSize(columns: 100, rows: 24))
        #expect(!low.contains { $0.contains("Emulated iPhone") })
    }

    @Test("In a low terminal an open island takes the Lock Screen's place, and a compact one gives its own")
    func low() throws {
        let drawing = EmulatedPhoneDrawing(words: Words(locale: "en"), hasColors: false, hasClock: false)
        let states = try states()
        let open = try #require(states.first { $0.name == "alert" }?.view)
        let rows = drawing.rows(open, size: TerminalSize(columns: 60, rows: 14))
        #expect(rows.contains { $0.contains("Alert: ") })
        #expect(!rows.contains { $0.contains("Accepted") }, "the steps are on the Lock Screen only")
        let compact = try #require(states.first { $0.name == "compact" }?.view)
        let lower = drawing.rows(compact, size: TerminalSize(columns: 60, rows: 13))
        #expect(lower.contains { $0.contains("Accepted") })
        #expect(!lower.contains { $0.contains("◉") })
    }

    @Test("On a fast clock an alert is on the screen for three seconds of the wall")
    func fastClock() throws {
        var view = try #require(try states().first { $0.name == "alert" }?.view)
        view.rate = 24
        view.now = Self.now + 71
        #expect(view.island?.form == .expanded)
        view.now = Self.now + 72
        #expect(view.alerted == nil)
    }

    // MARK: What is said

    /// Takes in what is written.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock(\.self) }
        func write(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Follows a phone through these states, and gives what each was said of.
    private func follow(
        _ bodies: [EmulatedPhoneBody], output: (Lines) -> any EmulatedPhoneOutput
    ) async throws -> [String] {
        let lines = Lines()
        let session = EmulatedPhoneSession(id: "iphone-1", output: output(lines), elapsed: { .zero })
        for body in bodies { try await session.receive(.phone(body)) }
        return lines.all
    }

    private func life() throws -> [EmulatedPhoneBody] {
        var pushed = Pushed()
        var bodies = [pushed.body(at: Self.now)]
        try pushed.push(.enRoute, at: Self.now + 1)
        bodies.append(pushed.body(at: Self.now + 1))
        try pushed.push(.atDoor, .update, at: Self.now + 60)
        bodies.append(pushed.body(at: Self.now + 60))
        try pushed.push(.arriving, .update, at: Self.now + 30)
        bodies.append(pushed.body(at: Self.now + 61))
        _ = pushed.phone.setOnline(false, at: Self.now + 62)
        bodies.append(pushed.body(at: Self.now + 62))
        _ = pushed.phone.setOnline(true, at: Self.now + 63)
        try pushed.push(.delivered, .end, at: Self.now + 90)
        bodies.append(pushed.body(at: Self.now + 90))
        bodies.append(pushed.body(at: Self.now + 90 + 5 * 3600))
        return bodies
    }

    @Test("A JSON line for each change of a card, in the order of its life, as track prints them")
    func json() async throws {
        let lines = try await follow(life()) { lines in EmulatedPhoneJSONLines { lines.write($0) } }
        let read = try lines.map { try JSONDecoder().decode(TrackLine.self, from: Data($0.utf8)) }
        #expect(read.map(\.event) == [.start, .update, .end, .dismissed])
        #expect(Set(read.map(\.card)).count == 1)
    }

    @Test("Sentences say what the cards show, how the phone is, and which pushes it did not show")
    func sentences() async throws {
        let words = Words(locale: "en")
        let lines = try await follow(life()) { lines in EmulatedPhoneSentences(words: words) { lines.write($0) } }
        #expect(lines.first == "iphone-1 · iOS 18.0 · online · app open")
        #expect(lines.contains { $0.hasSuffix("update: not shown: older than the card") })
        #expect(lines.contains { $0.contains("· offline ·") })
        #expect(lines.contains { $0.hasPrefix("Off this screen: ") })
        #expect(!lines.contains { $0.hasSuffix(": shown") }, "what is shown is said of the card")
    }

    @Test("Every outcome of a push has words of its own in every language", arguments: Words.languages)
    func outcomes(language: String) {
        let words = Words(locale: language)
        let texts = PushOutcome.allCases.map { words.outcome($0) }
        #expect(Set(texts).count == texts.count)
        for outcome in PushOutcome.allCases {
            let push = PushLogLine(at: Self.now, id: "push-1", outcome: outcome, event: "update", priority: 5)
            // A screen shortens a longer line at its end, behind its time and its event.
            #expect(words.push(push, at: "17:54").columns <= (["en", "da"].contains(language) ? 60 : 90), "\(outcome)")
        }
    }

    @Test(
        "q and Ctrl-C leave while the emulator does not answer an action", .timeLimit(.minutes(5)),
        arguments: [Key.character("q"), .interrupt])
    func leaves(key: Key) async throws {
        let phone = try #require(try life().first)
        // It holds every request.
        let server = try await ScriptedHTTPServer.start()
        let session = EmulatedPhoneSession(
            id: phone.id, output: EmulatedPhoneSentences(words: Words(locale: "en")) { _ in })
        try await session.receive(.phone(phone))
        let (keys, nextKey) = AsyncStream.makeStream(of: Key.self)
        var failure: CommandFailure?
        do {
            try await APIClient.with { client in
                let feed = EmulatedPhoneFeed(
                    client: client, url: server.origin, id: phone.id,
                    new: .init(hasIsland: true, language: "en", allowsActivities: true), customer: nil)
                async let run: Void = EmulatedPhoneRun(session: session, feed: feed, untilEnded: false).run(keys: keys)
                nextKey.yield(.character("k"))
                while try await server.request().head.method != .POST {}
                nextKey.yield(key)
                try await run
            }
        } catch let error as CommandFailure {
            failure = error
        }
        let kind: CommandFailure.Kind? = key == .interrupt ? .interrupted : nil
        #expect(failure?.kind == kind)
        try await server.stop()
    }

    @Test("Keys do to the phone what they say, and nothing where there is no island")
    func keys() throws {
        var body = try #require(try life().first)
        #expect(EmulatedPhoneRun.action(of: "n", on: body)?.action == .goOffline)
        #expect(EmulatedPhoneRun.action(of: "k", on: body)?.action == .killApp)
        #expect(EmulatedPhoneRun.action(of: "f", on: body)?.action == .forceQuit)
        #expect(EmulatedPhoneRun.action(of: "m", on: body) == PhoneActionBody(.addOtherApp, kind: .music))
        body.otherApps = [.music]
        #expect(EmulatedPhoneRun.action(of: "m", on: body) == PhoneActionBody(.removeOtherApp, kind: .music))
        #expect(EmulatedPhoneRun.action(of: "o", on: body) == PhoneActionBody(.addOtherApp, kind: .app))
        #expect(EmulatedPhoneRun.action(of: "s", on: body)?.action == .switchActivitiesOff)
        #expect(EmulatedPhoneRun.action(of: "e", on: body)?.action == .holdIsland)
        body.online = false
        body.app = .notRunning
        body.hasIsland = false
        #expect(EmulatedPhoneRun.action(of: "n", on: body)?.action == .goOnline)
        #expect(EmulatedPhoneRun.action(of: "k", on: body)?.action == .launchApp)
        #expect(EmulatedPhoneRun.action(of: "e", on: body) == nil)
        body.app = .forceQuit
        #expect(EmulatedPhoneRun.action(of: "k", on: body)?.action == .launchApp)
        #expect(EmulatedPhoneRun.action(of: "f", on: body) == nil)
        #expect(!Words(locale: "en").keys(body).contains { $0.hasPrefix("e ") })
    }

    // MARK: Arguments

    @Test("A phone is named as a device is, and options for it go with it only")
    func arguments() throws {
        #expect(try Track.parse(["--emulated-phone", "iphone-1", "--once"]).emulatedPhone == "iphone-1")
        for wrong in [
            ["--once"], ["--beside"], ["--phones-url", "http://127.0.0.1:1"], ["--emulated-phone", "a b"],
            ["--emulated-phone", "p", "--beside", "--json"], ["--emulated-phone", "p", "--device", "d"],
            ["--emulated-phone", "p", "--once", "--until-ended"],
            ["--emulated-phone", "p", "--presentation", "compact"],
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try Track.parse(wrong) }
        }
    }

    @Test("The emulator's address is an http URL, and without one it is said how to give it")
    func address() throws {
        #expect(try Track.address("http://127.0.0.1:8090/") == "http://127.0.0.1:8090")
        for wrong in [nil, "", "127.0.0.1:8090", "ftp://phones"] {
            #expect(throws: CommandFailure.self) { try Track.address(wrong) }
        }
    }
}
