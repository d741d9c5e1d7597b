import CommandOutput
import Logging
import Messages
import NatsClient

/// The broker's streams and consumers as the services expect them.
struct Streams: Sendable {
    static let duplicateWindow = Duration.seconds(120)
    /// Gigabytes of a new stream; together all but a little of the broker's `max_file_store`.
    private static let gigabytes = 2.5

    let jetStream: JetStream
    /// Whether the settings name several servers, which are those of one cluster.
    private let hasSeveralServers: Bool

    /// Lends a connection to the broker.
    ///
    /// - Throws: `CommandFailure` where it cannot be had, or refuses.
    static func with<Value: Sendable>(
        _ configuration: NatsConfiguration, _ body: (Streams) async throws -> Value
    ) async throws -> Value {
        let client = NatsClient(configuration, logger: .ofCommand)
        do {
            try await client.connect()
            let value = try await body(
                Streams(jetStream: client.jetStream, hasSeveralServers: configuration.servers.count > 1))
            await client.close()
            return value
        } catch let error as NatsError {
            await client.close()
            throw CommandFailure(error, at: configuration)
        } catch {
            await client.close()
            throw error
        }
    }

    /// A stream without a size limit would fill the broker's disk, which then accepts no message of any stream;
    /// services republish messages dropped before delivery from Postgres.
    static func configuration(of stream: StreamDefinition, replicas: Int, bytesMax: Int64?) -> StreamConfiguration {
        StreamConfiguration(
            name: stream.name, subjects: stream.subjects, maxAge: .seconds(StreamDefinition.maxAgeHours * 3_600),
            maxBytes: bytesMax, duplicateWindow: duplicateWindow, replicas: replicas, storage: .file)
    }

    /// Redelivered without a limit: a service stores an unprocessable message as a dead letter.
    ///
    /// A service resets its own consumer to the same configuration.
    static func configuration(of consumer: ConsumerDefinition) -> ConsumerConfiguration {
        ConsumerConfiguration(durable: consumer.durable, filterSubject: consumer.subject)
    }

    /// The streams that there are, by name.
    ///
    /// - Parameter failed: called for a stream that cannot be read, which is left out unless this throws.
    func present(failed: (_ stream: String, NatsError) throws -> Void) async throws -> [String: StreamInfo] {
        var present: [String: StreamInfo] = [:]
        for stream in StreamDefinition.all {
            do {
                present[stream.name] = try await jetStream.streamInfo(stream.name)
            } catch let error as NatsError {
                try failed(stream.name, error)
            }
        }
        return present
    }

    /// The copies of a stream: as named, else its own, else those of the others, which a cluster's streams share.
    ///
    /// - Parameter others: the copies of the other streams that there are.
    /// - Throws: `CommandFailure` where a cluster's stream would have one copy that the operator has not named.
    static func copies(
        named: Int?, of stream: String, own: Int?, others: [Int], isClustered: Bool
    ) throws(CommandFailure) -> Int {
        let copies = named ?? own ?? others.max() ?? 1
        guard named != nil || copies > 1 || !isClustered else {
            throw CommandFailure(
                .usage,
                """
                stream \(stream) would have one copy in a cluster, which is lost with one broker: give --replicas 3, or \
                --replicas 1 where one copy is wanted
                """)
        }
        return copies
    }

    /// - Throws: `CommandFailure` where the operator has not named the copies of a stream that cannot be read, and so
    ///   may be a cluster's.
    static func check(unread stream: String, _ error: any Error, named: Int?) throws(CommandFailure) {
        guard named == nil else { return }
        throw CommandFailure(
            .usage,
            """
            stream \(stream) cannot be read, so its copies are not known, and nothing was deleted (\(error)): give \
            --replicas with its copies, such as 3 in a cluster, or 1 for a single broker
            """)
    }

    /// The copies of each stream, by name.
    ///
    /// - Throws: as ``copies(named:of:own:others:isClustered:)``.
    func copies(_ storage: StreamStorage, after former: [String: StreamInfo]) throws -> [String: Int] {
        let others = former.values.map(\.configuration.replicas)
        let isClustered = hasSeveralServers || former.values.contains { $0.cluster != nil }
        return try StreamDefinition.all.reduce(into: [:]) { copies, stream in
            copies[stream.name] = try Self.copies(
                named: storage.replicas, of: stream.name, own: former[stream.name]?.configuration.replicas,
                others: others, isClustered: isClustered)
        }
    }

    /// Creates or updates each stream and consumer, and reports each in a line.
    ///
    /// - Parameters:
    ///   - former: the streams of before, which keep what `storage` does not name.
    ///   - rebuiltBy: the command that has each stream deleted first, with its messages and consumers; nil for another
    ///     one. A stream is created before the next is deleted, so that a failure loses the copies and the bound of one
    ///     at most.
    /// - Throws: as ``copies(named:of:own:others:isClustered:)``; `NatsError` where the broker refuses;
    ///   `CommandFailure` with the options that repeat it where a deleted stream cannot be created.
    func set(
        _ storage: StreamStorage, after former: [String: StreamInfo], rebuiltBy command: String? = nil,
        report: (String) -> Void
    ) async throws {
        let copiesByStream = try copies(storage, after: former)
        for stream in StreamDefinition.all {
            let bytes = { (gigabytes: Double) in Int64(gigabytes * stream.bytesShare * 1e9) }
            let bytesMax =
                storage.gigabytes.map(bytes) ?? former[stream.name]?.configuration.maxBytes ?? bytes(Self.gigabytes)
            let replicas = copiesByStream[stream.name] ?? 1
            if command != nil, try await jetStream.deleteStream(stream.name) {
                report("deleted stream \(stream.name)")
            }
            let info: StreamInfo
            do {
                info = try await jetStream.createOrUpdateStream(
                    Self.configuration(of: stream, replicas: replicas, bytesMax: bytesMax))
            } catch let error as NatsError {
                guard let command else { throw error }
                throw Self.failure(error, of: stream, replicas: replicas, bytesMax: bytesMax, repeatedBy: command)
            }
            // A setting with one server of a cluster does not show the cluster; its answer does.
            _ = try Self.copies(
                named: storage.replicas, of: stream.name, own: replicas, others: [], isClustered: info.cluster != nil)
            let gigabytes = Double(bytesMax) / 1e9
            let subjects = stream.subjects.joined(separator: " ")
            report(
                """
                stream \(stream.name): \(subjects), kept \(StreamDefinition.maxAgeHours) h and \(gigabytes) GB \
                at most, \(replicas == 1 ? "one copy" : "\(replicas) copies"), \(info.messages) messages
                """)
        }
        for consumer in ConsumerDefinition.all {
            let info = try await jetStream.createOrUpdateConsumer(
                stream: consumer.stream.name, Self.configuration(of: consumer))
            report("consumer \(consumer.stream.name)/\(consumer.durable): \(consumer.subject), \(info.pending) to come")
        }
    }

    /// The failure to create a stream that is deleted, with the command that repeats it with what the stream had.
    static func failure(
        _ error: NatsError, of stream: StreamDefinition, replicas: Int, bytesMax: Int64, repeatedBy command: String
    ) -> CommandFailure {
        // A stream without a bound has none to name.
        let bound = bytesMax > 0 ? " --gigabytes \(Double(bytesMax) / stream.bytesShare / 1e9)" : ""
        return CommandFailure(
            .unavailable,
            """
            stream \(stream.name) is deleted and cannot be created: \(error); once the broker can, repeat with what it \
            had, which then is for every stream: \(command) --yes --replicas \(replicas)\(bound)
            """)
    }
}

extension CommandFailure {
    /// The broker's error, with the setting to check.
    init(_ error: NatsError, at configuration: NatsConfiguration) {
        switch error.code {
        case .authenticationFailed, .notPermitted:
            self.init(.notAllowed, "\(error.description); check NATS_USER and NATS_PASSWORD_FILE")
        case .disconnected:
            self.init(.unavailable, "\(configuration.description): \(error); check NATS_URL, is it running?")
        case .timedOut, .noResponders:
            self.init(
                .unavailable,
                """
                \(configuration.description): \(error); check NATS_URL, is it running, and does its log name a missing \
                leader, a full disk or JetStream off?
                """)
        default:
            self.init(.unavailable, error.description)
        }
    }
}
