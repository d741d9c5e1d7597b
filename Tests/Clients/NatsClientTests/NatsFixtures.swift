import Logging
import NatsClient
import Synchronization
import TestSupport
import Testing

/// A name no other test uses.
func uniqueName(_ prefix: String) -> String { prefix + String(UInt64.random(in: 0 ... .max), radix: 36) }

/// Connects to the `.nats` trait's broker, or to `configuration`, for the length of `body`.
func withClient<Value>(
    _ configuration: NatsConfiguration? = nil, logger: Logger = .silent, _ body: (NatsClient) async throws -> Value
) async throws -> Value {
    let client = NatsClient(try configuration ?? TestNats.configuration(), logger: logger)
    try await client.connect()
    return try await withTeardown({ await client.close() }) { try await body(client) }
}

/// Makes a stream with a consumer on the `.nats` trait's broker, for the length of `body`.
func withFixture(
    ackWait: Duration = .seconds(30), _ body: (Fixture) async throws -> Void
) async throws {
    try await withClient { client in try await body(try await Fixture(client, ackWait: ackWait)) }
}

/// Starts a broker of the test's own, and runs a client of it for the length of `body`.
func withPrivateServer(
    logger: Logger = .silent, _ body: (PrivateNats, NatsClient) async throws -> Void
) async throws {
    let server = try PrivateNats()
    try await server.start()
    try await withRunningClient(server.configuration, logger: logger) { try await body(server, $0) }
}

/// Runs a client as a service does, reconnecting, for the length of `body`.
func withRunningClient(
    _ configuration: NatsConfiguration, logger: Logger = .silent, _ body: (NatsClient) async throws -> Void
) async throws {
    let client = NatsClient(configuration, logger: logger)
    try await beside({ try await client.run() }) {
        try await eventually("connected") { client.isConnected }
        try await body(client)
    }
}

/// Runs `work` beside `body`, and cancels it afterwards.
func beside(
    _ work: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            do { try await work() } catch is CancellationError {}
        }
        try await body()
        group.cancelAll()
        try await group.waitForAll()
    }
}

/// Reads beside `body`, counts the payloads, and acknowledges.
func reading(_ consumer: PullConsumer, _ tally: Tally, while body: () async throws -> Void) async throws {
    let read: @Sendable () async throws -> Void = {
        try await consumer.forEach { message in
            tally.add(text(message.content.payload))
            try await message.settle(.acknowledge)
        }
    }
    try await beside(read, body)
}

/// Repeats what may be repeated, as every user of the client does: a connection that is lost comes back.
private func retrying(_ operation: () async throws -> Void) async throws {
    while true {
        do {
            return try await operation()
        } catch let error as NatsError where error.isRetriable {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Counts what happened under each key.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ key: String) { counts.withLock { $0[key, default: 0] += 1 } }

    subscript(key: String) -> Int { counts.withLock { $0[key] ?? 0 } }

    var keys: Set<String> { counts.withLock { Set($0.keys) } }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
}

/// A stream of its own with a durable consumer, deleted by nobody: the server goes with the process.
struct Fixture {
    let stream = uniqueName("S")
    let durable = "reader"
    let jetStream: JetStream

    func subject(_ last: String) -> String { "\(stream).\(last)" }

    init(
        _ client: NatsClient, ackWait: Duration = .seconds(30), maxDeliver: Int? = nil,
        duplicateWindow: Duration = .seconds(60)
    ) async throws {
        jetStream = client.jetStream
        try await make(ackWait: ackWait, maxDeliver: maxDeliver, duplicateWindow: duplicateWindow)
    }

    func make(
        ackWait: Duration = .seconds(30), maxDeliver: Int? = nil, duplicateWindow: Duration = .seconds(60)
    ) async throws {
        try await retrying {
            try await jetStream.createOrUpdateStream(
                StreamConfiguration(name: stream, subjects: ["\(stream).>"], duplicateWindow: duplicateWindow))
        }
        try await retrying {
            try await jetStream.createOrUpdateConsumer(
                stream: stream, ConsumerConfiguration(durable: durable, ackWait: ackWait, maxDeliver: maxDeliver))
        }
    }

    var consumer: PullConsumer { jetStream.consumer(stream: stream, durable: durable) }

    /// Publishes numbered messages and requires that all are stored.
    func publish(_ numbers: Range<Int>) async throws {
        let messages = numbers.map { OutgoingMessage(subject: subject("n"), payload: Array("\($0)".utf8)) }
        for result in await jetStream.publish(messages, timeout: .seconds(600)) { _ = try result.get() }
    }

    /// Consumes until so many messages are settled: acknowledged, or never delivered again.
    func settle(_ count: UInt64, by consume: @escaping @Sendable () async throws -> Void) async throws {
        try await beside(consume) {
            try await eventually("\(count) are settled") { try await info().acknowledgedSequence == count }
        }
    }

    func info() async throws -> ConsumerInfo {
        try #require(await jetStream.consumerInfo(stream: stream, durable: durable))
    }
}

/// The payload as text.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
