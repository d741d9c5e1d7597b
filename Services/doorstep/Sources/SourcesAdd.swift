import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Takes in the webhooks of an account at a provider.
struct SourcesAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Take in the webhooks of an account at a delivery provider.",
        discussion: """
            Prints where the provider is to send them. A secret that is made here is shown this once; uber and onfleet \
            make their own, which goes in by --secret-file.
            A repeat changes the name, the store and whether test events are taken.
            """)

    @Argument(help: "The source's id, made up by you: 1 to 64 letters, digits, - and _.")
    var id: SourceID
    @Option(help: "doordash, uber, instacart, onfleet or cloudevents.")
    var provider: String
    @Option(help: "What customers call whoever brings it where the provider names nobody.")
    var name: String?
    @Option(help: "The only store whose deliveries it may report on.")
    var store: StoreID?
    @OptionGroup var given: SecretFile
    @ArgumentParser.Flag(help: "Takes events of the provider's test mode for real.")
    var acceptsTest = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let body = PutSourceBody(
            provider: provider, name: name, store: store, secret: try given.secret(), acceptsTest: acceptsTest)
        let (data, _) = try await PartnersCaller().client().exchange(.PUT, "/v1/sources/\(id)", body: body)
        try await output.show(data, of: .partners, text: \SourceBody.text)
    }
}
