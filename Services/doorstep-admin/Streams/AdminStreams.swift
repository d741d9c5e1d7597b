import ArgumentParser
import CommandOutput
import StackClient

/// Sets the broker's streams and consumers up.
struct AdminStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract: "Create or update the streams and consumers; deletes nothing.",
        discussion: """
            A stream keeps its copies and its bound where they are not named. In a cluster, a stream of one copy needs \
            --replicas.
            """)

    @OptionGroup var storage: StreamStorage

    func run() async throws {
        try await Streams.with(try await Stack().nats()) { streams in
            let former = try await streams.present { throw $1 }
            try await streams.set(storage, after: former) { writeLine($0) }
        }
    }
}

/// The number of servers that store each stream, and its size limit.
struct StreamStorage: ParsableArguments {
    @Option(help: "Copies of each stream in a cluster: 1, 3 or 5; 1 for a stream that is new, outside a cluster.")
    var replicas: Int?

    @Option(
        help: """
            Gigabytes of each stream, above which the oldest messages go; 2.5 for a stream that is new. PARTNERS has a \
            fifth of that. All of them must fit in the broker's max_file_store.
            """)
    var gigabytes: Double?

    func validate() throws {
        guard [nil, 1, 3, 5].contains(replicas) else { throw ValidationError("--replicas is 1, 3 or 5") }
        guard gigabytes.map((0.01...100_000).contains) ?? true else {
            throw ValidationError("--gigabytes is a number from 0.01 to 100000, such as 2.5")
        }
    }
}
