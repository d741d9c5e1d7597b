import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Adds a source: an account at a provider whose webhooks `partners` accepts.
struct SourcesAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a source: an account at a delivery provider that sends webhooks.",
        discussion: """
            Prints the URL for the provider's webhooks. A generated secret is printed once; uber and onfleet generate \
            their own secret, which --secret-file passes on.
            A repeat changes the name, the store and the acceptance of test events.
            """)

    @Argument(help: "The source's id, of your choice: 1 to 64 letters, digits, - and _.")
    var id: SourceID
    @Option(help: "doordash, uber, instacart, onfleet or cloudevents.")
    var provider: String
    @Option(help: "The courier's name for customers where the provider names none.")
    var name: String?
    @Option(help: "The only store whose deliveries it may report on.")
    var store: StoreID?
    @OptionGroup var given: SecretFile
    @ArgumentParser.Flag(help: "Apply the provider's test-mode events as real ones.")
    var acceptsTest = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let body = PutSourceBody(
            provider: provider, name: name, store: store, secret: try given.secret(), acceptsTest: acceptsTest)
        try await output.show(
            .PUT, "/v1/sources/\(id)", body: body, shownBy: "doorstep sources list", text: SourceBody.text)
    }
}
