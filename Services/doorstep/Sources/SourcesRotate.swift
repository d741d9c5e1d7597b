import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Adds a secret to a source, which keeps the present one.
struct SourcesRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Add a secret to a source; the former one is valid until you remove it.",
        discussion: "The newest four stay valid. A generated secret is printed once.")

    @Argument(help: "The source's id.")
    var id: SourceID
    @OptionGroup var given: SecretFile
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await output.show(
            .POST, "/v1/sources/\(id)/secrets", body: NewSecretBody(secret: try given.secret()),
            shownBy: "doorstep sources show \(id)", text: SourceBody.text)
    }
}

/// Removes a secret of a source.
struct SourcesRemoveSecret: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-secret", abstract: "Remove a secret of a source, when its provider uses the other.")

    @Argument(help: "The source's id.")
    var id: SourceID
    @Argument(help: "The secret's id, from doorstep sources show.")
    var secret: String
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard isIdentifier(secret) else { throw ValidationError("a secret's id is 1 to 64 letters, digits, - and _") }
    }

    func run() async throws {
        try confirmation.ask("Refuse what is proven by secret \(secret) of source \(id)?")
        _ = try await PartnersCaller().ask {
            try await $0.exchange(.DELETE, "/v1/sources/\(id)/secrets/\(secret)", body: NoBody?.none)
        }
        writeLine("Secret \(secret) of source \(id) is removed")
    }
}
