import ArgumentParser
import StackClient

/// Sets the broker's streams and consumers up.
struct AdminStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract: "Make or update the streams and consumers; deletes nothing.")

    @OptionGroup var copies: Replicas

    func run() async throws {
        try await Streams.with(try await Stack().nats()) { try await $0.set(replicas: copies.replicas) { print($0) } }
    }
}

/// How many servers store each message.
struct Replicas: ParsableArguments {
    @Option(help: "Copies of each stream in a cluster: 1, 3 or 5.")
    var replicas = 1

    func validate() throws {
        guard [1, 3, 5].contains(replicas) else { throw ValidationError("--replicas is 1, 3 or 5") }
    }
}
