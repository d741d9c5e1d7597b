import APIClient
import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import EmulatorAPI
import Foundation
import LiveActivity
import StackClient

import func OrderDomain.isIdentifier

/// `doorstep track --emulated-phone`: the screen of a phone of `apns-emulator`.
extension Track {
    func validateEmulatedPhone() throws {
        guard let emulatedPhone else {
            guard !once, !beside, phonesURL == nil else {
                throw ValidationError("--once, --beside and --phones-url go with --emulated-phone.")
            }
            return
        }
        guard isIdentifier(emulatedPhone) else {
            throw ValidationError("A phone's name is 1 to 64 letters from a to z, digits, - and _ only.")
        }
        guard !beside || (!once && !output.json) else {
            throw ValidationError("With --beside there are two devices; leave out --once and --json.")
        }
        guard beside || device == nil else {
            throw ValidationError("--device names this device; leave it out, or give --beside.")
        }
        guard !once || !untilEnded else { throw ValidationError("--once leaves at once; leave out --until-ended.") }
        guard presentation == .lockScreen, !besideAnotherApp else {
            throw ValidationError(
                "An emulated phone shows all of it; leave out --presentation and --beside-another-app.")
        }
    }

    func followEmulatedPhone(_ id: String) async throws {
        let words = Words(locale: locale)
        try await APIClient.with { client in
            guard let feed = try emulatedPhoneFeed(client) else { return }
            if once { return try await showOnce(feed, words: words) }
            guard let screen = liveScreen(words: words) else {
                return try await follow(feed, output: lines(words: words), keys: nil)
            }
            try await screen.use { try await follow(feed, output: screen, keys: screen.keys) }
        }
    }

    /// The feed of the emulated phone; nil where none is requested.
    func emulatedPhoneFeed(_ client: HTTPClient) throws -> EmulatedPhoneFeed? {
        guard let emulatedPhone else { return nil }
        let environment = ProcessInfo.processInfo.environment
        // Without a token only a phone that is there already can be followed.
        let settings = try? customer.settings()
        return EmulatedPhoneFeed(
            client: client, url: try Self.address(phonesURL ?? environment["DOORSTEP_PHONES_URL"]), id: emulatedPhone,
            new: .init(hasIsland: phone != .plain, language: locale, allowsActivities: !notYetAllowed),
            customer: settings)
    }

    /// The base URL of the emulator's control side, without a slash at its end.
    static func address(_ text: String?) throws -> String {
        guard let text, !text.isEmpty else {
            throw CommandFailure(
                .usage, "No emulator: say where its control side is with --phones-url or DOORSTEP_PHONES_URL.")
        }
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
            throw CommandFailure(.usage, "The emulator's address is not an http or https URL: \(text)")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Runs `body` and the emulated phone concurrently; the phone's end does not end `body`.
    static func run(
        beside phone: EmulatedPhoneFeed?, output: some EmulatedPhoneOutput, body: () async throws -> Void
    ) async throws {
        guard let phone else { return try await body() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let session = EmulatedPhoneSession(id: phone.id, output: output)
            group.addTask {
                try await EmulatedPhoneRun(session: session, feed: phone, untilEnded: false).run(keys: nil)
            }
            defer { group.cancelAll() }
            try await body()
        }
    }

    private func follow(
        _ feed: EmulatedPhoneFeed, output: any EmulatedPhoneOutput, keys: AsyncStream<Key>?
    ) async throws {
        let session = EmulatedPhoneSession(id: feed.id, output: output)
        try await EmulatedPhoneRun(session: session, feed: feed, untilEnded: untilEnded).run(keys: keys)
    }

    private func showOnce(_ feed: EmulatedPhoneFeed, words: Words) async throws {
        let phone = try await feed.phone(withPushes: true)
        var view = EmulatedPhoneView(id: feed.id, now: phone.now)
        guard !output.json, !plain, TerminalAbilities().hasPictures else {
            let lines = lines(words: words)
            let former = view
            for event in view.update(phone) { try lines.changed(event) }
            return lines.changed(view, from: former)
        }
        _ = view.update(phone)
        let hasColors = OutputStyle.ofOutput(isPlain: false).hasColors
        for row in EmulatedPhoneDrawing(words: words, hasColors: hasColors).picture(view) { writer(row) }
    }

    private func lines(words: Words) -> any EmulatedPhoneOutput {
        output.json
            ? EmulatedPhoneJSONLines(write: writer)
            : EmulatedPhoneSentences(words: words, write: OutputStyle.writeSentence)
    }
}
