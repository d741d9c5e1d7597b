import Messages
import NatsClient
import SimulationSupport
import TestSupport

/// The broker of a stack, as who administers it sees it.
struct Broker: Sendable {
    private let stack: ProxiedStack

    init(_ stack: ProxiedStack) { self.stack = stack }

    /// Deletes one of the streams; without effect where the broker does not answer.
    func deleteStream(_ choice: Int) async throws {
        let all = StreamDefinition.all
        try? await with { _ = try await $0.deleteStream(all[choice % all.count].name) }
    }

    /// Deletes one of the consumers.
    func deleteConsumer(_ choice: Int) async throws {
        let consumer = ConsumerDefinition.all[choice % ConsumerDefinition.all.count]
        try? await with { _ = try await $0.deleteConsumer(stream: consumer.stream.name, durable: consumer.durable) }
    }

    /// Messages that each consumer has yet to be given or to acknowledge, by its name; a missing one counts as one.
    func lags() async throws -> [String: Int] {
        try await with { jetStream in
            var lags: [String: Int] = [:]
            for consumer in ConsumerDefinition.all {
                let info = try await jetStream.consumerInfo(stream: consumer.stream.name, durable: consumer.durable)
                lags["lag of consumer \(consumer.durable)"] = info.map { Int($0.pending) + $0.ackPending } ?? 1
            }
            return lags
        }
    }

    private func with<Value: Sendable>(_ body: (JetStream) async throws -> Value) async throws -> Value {
        var configuration = NatsConfiguration(servers: ["nats://127.0.0.1:\(stack.processes.natsPort)"])
        configuration.user = "infra"
        configuration.password = "nats-infra"
        configuration.name = "fault-injector"
        configuration.inboxPrefix = "_INBOX_infra"
        let client = NatsClient(configuration, logger: .silent)
        return try await withTeardown({ await client.close() }) {
            try await client.connect()
            return try await body(client.jetStream)
        }
    }
}
