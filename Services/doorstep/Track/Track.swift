import APIClient
import ArgumentParser
import CommandOutput
import DomainTime
import Foundation
import LiveActivity
import PhoneRules
import StackClient
import WireCoding

import func OrderDomain.isIdentifier

/// Follows a customer's deliveries, as a phone would show them.
struct Track: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow your deliveries live.",
        discussion: """
            On a terminal it draws the phone; elsewhere, and where the terminal is dumb or its locale is not UTF-8, \
            it prints one sentence for each change; --json prints one object for each. Quitting ends no card: the next \
            run shows the same cards. A connection that is silent for 25 seconds counts as lost, and is made again.
            """)

    @OptionGroup var customer: CustomerOptions

    @Option(help: "The device's id; by default one stored for this user and machine.")
    var device: String?

    @Option(help: "The language of the texts, such as da.")
    var locale: String = "en"

    @Option(help: "The phone: island, or plain for one without; by default as in the last run, and first with one.")
    var phone: PhoneKind?

    @Option(help: "The first presentation: lock-screen, expanded, compact or minimal.")
    var presentation: Presentation = .lockScreen

    @Flag(help: "Add another app's activity in this run, which makes the card minimal in the island.")
    var besideAnotherApp = false

    @Flag(help: "Show the permission question of a new app.")
    var notYetAllowed = false

    @OptionGroup var output: OutputOptions

    @Flag(help: "Print one spoken sentence for each change, no pictures.")
    var plain = false

    @Flag(help: "Leave when there were cards and all of them have left the screen.")
    var untilEnded = false

    @Flag(help: "Show the present screen, and leave; with --emulated-phone.")
    var once = false

    @Option(
        help: "Show this phone of apns-emulator, which gets its cards by push; a missing phone is added for you.")
    var emulatedPhone: String?

    @Option(help: "The URL of apns-emulator's control API; by default DOORSTEP_PHONES_URL.")
    var phonesURL: String?

    @Flag(help: "Show this device beside the emulated phone.")
    var beside = false

    func validate() throws {
        try validateEmulatedPhone()
        guard phone != .plain || (presentation == .lockScreen && !besideAnotherApp) else {
            throw ValidationError("A plain phone has no island; leave out --presentation and --beside-another-app.")
        }
        guard Words.languages.contains(locale) else {
            throw ValidationError("There are words for \(Words.languages.joined(separator: ", ")) only.")
        }
        if let device, !isIdentifier(device) {
            throw ValidationError("A device's name is 1 to 64 letters from a to z, digits, - and _ only.")
        }
    }

    func run() async throws {
        if let emulatedPhone, !beside { return try await followEmulatedPhone(emulatedPhone) }
        try await followDevice()
    }

    /// Follows this device, and the emulated phone where requested.
    private func followDevice() async throws {
        let settings = try customer.settings()
        _ = try settings.token()
        let url = try settings.url("DOORSTEP_ACTIVITY_DISPATCH_URL")
        let clock = try await Stack(environment: settings.environment).clock()
        let words = Words(locale: locale)
        let store = DeviceStateStore(environment: settings.environment)
        let device = try device ?? store.device()
        let lock = try store.lock(device: device, server: url)
        defer { withExtendedLifetime(lock) {} }
        let saved = try state(after: store.load(device: device, server: url, now: clock.now.epochSeconds))

        try await APIClient.with(readTimeout: DeviceStream.silenceMax) { client in
            let services = APIClient(client)
            let api = DeviceAPI(
                client: services, settings: settings, url: url, device: device, locale: locale,
                timeZone: TimeZone.current.identifier,
                secret: { store.secret(of: device, server: url) },
                keepSecret: { try store.save(secret: $0, of: device, server: url) })
            let links = LinkClient(client: services, settings: settings)
            let permission = DevicePermission(isOn: saved.phone.permission != .switchedOff) {
                try await api.register(activitiesEnabled: $0)
            }
            let actions = TrackSession.Actions(
                press: {
                    let answer = try await links.press($0)
                    return PressAnswer(sentence: answer.sentence, phone: answer.phone, details: answer.details)
                },
                report: { await api.report($0) },
                permit: { await permission.set($0) },
                save: { try store.save($0, device: device, server: url) },
                feedback: { _ = try await FeedbackCommand.send($1, about: $0, settings) })
            let feed = DeviceStream(
                client: client, api: api, permission: permission, registration: saved.registration,
                jitter: { Double.random(in: 0...1) })
            try await follow(feed, beside: try emulatedPhoneFeed(client), from: saved) { output in
                TrackSession(
                    saved, clock: clock, words: words, presentation: presentation, output: output, actions: actions)
            }
        }
    }

    /// The device's state at the start of this run, with the phone and the other app that the options name; another
    /// app's activity is of one run.
    ///
    /// - Parameter saved: the state after the last run; nil for a new device.
    /// - Throws: `CommandFailure` of kind usage where a saved phone has no island, which the options need.
    func state(after saved: DeviceState?) throws(CommandFailure) -> DeviceState {
        var state = saved ?? DeviceState(phone: Phone(permission: notYetAllowed ? .notYetAllowed : .allowed))
        if let phone { state.phone.hasIsland = phone == .island }
        guard state.phone.hasIsland || (presentation == .lockScreen && !besideAnotherApp) else {
            throw CommandFailure(
                .usage,
                "This device's phone has no island: give --phone island, or leave out --presentation and "
                    + "--beside-another-app.")
        }
        state.phone.otherApps = besideAnotherApp ? [.longBefore] : []
        return state
    }

    /// Chooses the output, and restores a terminal at any end.
    private func follow(
        _ feed: some CardFeed, beside phone: EmulatedPhoneFeed?, from saved: DeviceState,
        session: (any TrackOutput) -> TrackSession
    ) async throws {
        let words = Words(locale: locale)
        if let screen = liveScreen(words: words) {
            let live = session(screen)
            do {
                try await screen.use {
                    try await Self.run(beside: phone, output: screen) {
                        try await TrackRun(session: live, untilEnded: untilEnded).run(
                            feed, after: saved.lastSequence, keys: screen.keys)
                    }
                }
            } catch {
                for sentence in await live.sentencesOnLeaving { CommandFailure.complain(sentence) }
                throw error
            }
            for sentence in await live.sentencesOnLeaving { CommandFailure.complain(sentence) }
        } else {
            let write = writer
            let lines: any TrackOutput =
                output.json ? JSONLines(write: write) : SentenceLines(words: words, write: OutputStyle.writeSentence)
            let sentences = EmulatedPhoneSentences(
                words: words, prefix: "\(emulatedPhone ?? ""): ", write: OutputStyle.writeSentence)
            try await Self.run(beside: phone, output: sentences) {
                try await TrackRun(session: session(lines), untilEnded: untilEnded).run(
                    feed, after: saved.lastSequence, keys: nil)
            }
        }
    }

    /// Writes a line to standard output, as it can show it.
    var writer: @Sendable (String) -> Void {
        let abilities = TerminalAbilities()
        let isJSON = output.json
        return { text in
            if isJSON { writeJSON(text.utf8) } else { writeLine(abilities.text(text)) }
        }
    }

    /// The terminal's live screen; nil with --plain or --json, or where the pictures do not fit.
    func liveScreen(words: Words) -> LiveScreen? {
        let columns = TerminalSize.ofOutput()?.columns ?? 0
        guard !output.json, !plain, TerminalAbilities().hasPictures, columns >= LockScreenDrawing.columns else {
            return nil
        }
        return LiveScreen(words: words)
    }
}
