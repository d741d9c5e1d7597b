import ArgumentParser
import CommandOutput
import StackClient

/// Sets the broker's streams and consumers up.
struct AdminStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract: "Create or update the streams and consumers; deletes nothing.")

    @OptionGroup var storage: StreamStorage

    func run() async throws {
        try await Streams.with(try await Stack().nats()) { try await $0.set(storage) { writeLine($0) } }
    }
}

/// The number of servers that store each stream, and its size limit.
struct StreamStorage: ParsableArguments {
    @Option(help: "Copies of each stream in a cluster: 1, 3 or 5.")
    var replicas = 1

    @Option(
        help: """
            Gigabytes of each stream, above which the oldest messages go; PARTNERS has a fifth of that. All of them \
            must fit in the broker's max_file_store.
            """)
    var gigabytes = 2.5

    func validate() throws {
        guard [1, 3, 5].contains(replicas) else { throw ValidationError("--replicas is 1, 3 or 5") }
        guard (0.01...100_000).contains(gigabytes) else {
            throw ValidationError("--gigabytes is a number from 0.01 to 100000, such as 2.5")
        }
    }
}
