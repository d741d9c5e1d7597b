import APIClient
import ArgumentParser
import CommandOutput
import DomainTime
import Foundation
import InterfaceTexts
import LiveActivity
import StackClient
import WireCoding

/// Shows a link's effect, asks, and presses it.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a card's link: show its action, then execute it.",
        discussion: """
            Without a terminal the action needs --yes, so that viewing a link never presses it. A cancellation, and an \
            action that this version does not know, is sent ten seconds after the answer, and Ctrl-C cancels it until \
            then. Any other action is sent at once, and so is every action with --yes.
            """)

    @Argument(help: "The link from the card.")
    var link: String

    @OptionGroup var customer: CustomerOptions

    @Option(help: "The language of the texts: \(Words.languages.joined(separator: " or ")).")
    var locale: String = "en"

    @Flag(help: "Execute the action at once, without a prompt.")
    var yes = false

    @OptionGroup var output: OutputOptions

    @Flag(help: "Show the link's live page in a browser instead, without an action.")
    var browser = false

    func validate() throws {
        guard !browser || (!yes && !output.json) else {
            throw ValidationError("--browser shows a page; it goes with neither --yes nor --json.")
        }
        guard Words.languages.contains(locale) else {
            throw ValidationError("There are words for \(Words.languages.joined(separator: ", ")) only.")
        }
    }

    func run() async throws {
        if browser {
            guard link.hasPrefix("https://") || link.hasPrefix("http://") else {
                throw CommandFailure(.usage, "\(link) is no link of a page: it begins with https://")
            }
            return try BrowserProgram(
                environment: ProcessInfo.processInfo.environment, isExecutable: FileManager.default.isExecutableFile
            ).show(link)
        }
        let settings = try customer.settings()
        try await APIClient.with { client in
            let now = try await Stack(environment: settings.environment).clock().now
            try await open(
                with: LinkClient(client: APIClient(client), settings: settings), settings: settings, now: now)
        }
    }

    private func open(with links: LinkClient, settings: CustomerSettings, now: Date) async throws {
        let words = Words(locale: locale)
        let shown = try await links.show(link)
        if shown.verb == Verb.feedback.rawValue, shown.why == nil, !output.json, isatty(STDIN_FILENO) == 1,
            isatty(STDOUT_FILENO) == 1
        {
            return try await askForFeedback(about: shown, settings, words)
        }
        if !shown.isAction || !shown.isPressable {
            printAnswer(shown, words.prompt(shown), now: now)
            if shown.isAction {
                throw words.refused(shown, CommandFailure(.conflict, shown.why ?? words.texts("open.not_pressable")))
            }
            return
        }
        if !yes {
            guard !output.json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
                printAnswer(shown, words.prompt(shown), now: now)
                return
            }
            OutputStyle.writeSentence(words.prompt(shown))
            writeOutput(TerminalAbilities().text(words.texts("open.confirm")))
            guard let answer = readLine()?.lowercased(), ["y", "yes", "j", "ja"].contains(answer) else {
                OutputStyle.writeSentence(words.texts("open.nothing_done"))
                return
            }
            if CardAction.isAskedAbout(verb: shown.verb) {
                let seconds = KeyRules.undoTime.components.seconds
                OutputStyle.writeSentence(words.countdown(seconds: seconds))
                guard await Self.waitUninterrupted(for: KeyRules.undoTime) else {
                    OutputStyle.writeSentence("\n\(words.texts("open.nothing_done"))")
                    throw CommandFailure(.interrupted, "")
                }
            }
        }
        do {
            let pressed = try await links.press(link)
            printAnswer(pressed, words.done(pressed, on: shown), now: now)
        } catch let failure as CommandFailure {
            throw words.refused(shown, failure)
        }
    }

    /// - Returns: false as soon as the person presses Ctrl-C, or the process is asked to end.
    private static func waitUninterrupted(for time: Duration) async -> Bool {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        let interrupts = [SIGINT, SIGTERM, SIGHUP].map { Interrupt($0) { continuation.finish() } }
        defer { interrupts.forEach { $0.stop() } }
        return await withTaskGroup(of: Bool.self) { group in
            // A signal cancels the sleep, and the wait counts as interrupted.
            group.addTask { (try? await Task.sleep(for: time)) != nil }
            group.addTask {
                for await _ in signals {}
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    private func printAnswer(_ answer: LinkAnswer, _ sentence: String, now: Date) {
        guard !output.json else { return writeJSON(answer.json.utf8) }
        let words = Words(locale: locale)
        let details = answer.details.map { phrase in
            let text = words.text(phrase, timeZone: answer.attributes.timeZone, now: now.epochSeconds)
            return "  \(text.safeOnTerminal)"
        }
        let status = words.status(answer, now: now.epochSeconds)
        OutputStyle.writeSentence(([sentence] + status + details).joined(separator: "\n"))
    }
}
