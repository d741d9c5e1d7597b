import ArgumentParser
import CommandOutput
import Foundation
import WireCoding

extension KeyRotation.Step: ExpressibleByArgument {}

/// Rotates one kind of keys, a step at a time.
struct AdminKeysRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Rotate the keys of tokens, links, kept secrets or PINs, in three steps without a refused request.",
        discussion: """
            add makes a key that every service gets and that does not sign yet; sign has it sign; drop removes the \
            former one, when nothing that it signed is valid. Each step prints the next and may be repeated. A step \
            writes whole files with the permissions of those that they replace; keys.json is changed in place, as \
            containers see it.
            """)

    private static let longestHoursByDefault = 720.0

    @Argument(help: "add, sign or drop.")
    var step: KeyRotation.Step
    @Flag(help: "Rotate the keys of tokens: admin.pem, orders.pem and desk.pem.")
    var tokens = false
    @Flag(help: "Rotate the key of links, in link-keys.")
    var links = false
    @Flag(help: "Rotate the key of kept secrets, in secret-keys.")
    var secrets = false
    @Flag(help: "Rotate the key of customers' PINs, images and sealed personal data, in pin-keys.")
    var pins = false
    @Option(help: "The folder of the keys, as admin keys made it.")
    var directory: String
    @Option(help: "The longest time in hours for which what a key signed is valid, with drop.")
    var longestHours = Self.longestHoursByDefault
    @Option(
        help: "When the last replica was restarted after sign, such as 2026-11-21T18:24:00Z, with drop.",
        transform: { text in
            guard let date = WireJSON.date(from: text) else {
                throw ValidationError("a time is written as 2026-11-21T18:24:00Z")
            }
            return date
        })
    var restarted: Date?
    @Flag(help: "Drop a disclosed key at once, though what it signed is refused from then on.")
    var atOnce = false
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard [tokens, links, secrets, pins].count(where: { $0 }) == 1 else {
            throw ValidationError("say one of --tokens, --links, --secrets and --pins")
        }
        guard longestHours >= 0 else { throw ValidationError("--longest-hours is 0 or more") }
        guard restarted == nil || step == .drop else { throw ValidationError("--restarted is of the step drop") }
        guard !atOnce || step == .drop else { throw ValidationError("--at-once is of the step drop") }
    }

    func run() async throws {
        // A dropped key of kept secrets makes each secret unreadable that it still encrypts, whatever its age; links of
        // couriers have no end.
        if step == .drop, atOnce || !tokens {
            try confirmation.ask("Drop the former key? \(consequence)")
        }
        let folder = URL(filePath: directory, directoryHint: .isDirectory)
        let rules = KeyRotation(
            longestLifetime: longestHours * 3_600, now: Date(), isAtOnce: atOnce || secrets,
            restartedAt: restarted, options: givenOptions)
        let lines =
            try tokens
            ? TokenKeyRotation(folder: folder, rules: rules).make(step)
            : NumberedKeyRotation(kind: kind, folder: folder, rules: rules).make(step)
        for line in lines { writeLine(line) }
    }

    private var kind: NumberedKeyRotation.Kind { links ? .links : secrets ? .secrets : .pins }

    /// The options that the next step needs as well.
    var givenOptions: [String] {
        let hours = longestHours == Self.longestHoursByDefault ? [] : ["--longest-hours", "\(longestHours)"]
        return ["--directory", directory] + hours
    }

    private var consequence: String {
        if secrets { return "Secrets that it encrypts cannot be read any more." }
        if pins {
            return """
                PINs, images, addresses and phone numbers that it encrypts cannot be read any more. \
                doorstep_orders_personal_data_to_seal has to be 0 on every replica of orders.
                """
        }
        return links && !atOnce
            ? "Links that it signed open nothing any more, those of couriers included." : "What it signed is refused."
    }
}
