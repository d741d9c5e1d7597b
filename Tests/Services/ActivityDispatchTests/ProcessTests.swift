import AsyncHTTPClient
import Configuration
import DoorstepAPI
import Foundation
import LiveActivity
import Logging
import Messages
import NIOCore
import NIOHTTP1
import NatsClient
import OrderDomain
import PostgresClient
import ProcessSettings
import ReliableMessaging
import ServiceLifecycle
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch
@testable import ServiceRuntime

@Suite("The process", .tags(.integration), .postgresSchema, .nats, .timeLimit(.minutes(10)))
struct ProcessTests {
    let delivery = DeliveryID(UUID())

    @Test("An intent that is published reaches a device's stream at every replica, and so does its end")
    func fromIntentToStream() async throws {
        let configuration = TestPostgres.current
        let pool = PostgresPool(configuration, logger: .silent)
        try await migrate(ActivityDispatch.process.migrations, schema: configuration.schema ?? "", on: pool)
        await pool.shutDown()
        let nats = NatsClient(try TestNats.configuration(), logger: .silent)
        try await nats.connect()
        let stream = StreamDefinition.activities
        try await nats.jetStream.createOrUpdateStream(
            StreamConfiguration(name: stream.name, subjects: stream.subjects, duplicateWindow: .seconds(60)))
        let definition = ConsumerDefinition.activityDispatchIntents
        try await nats.jetStream.createOrUpdateConsumer(
            stream: stream.name, ConsumerConfiguration(durable: definition.durable, filterSubject: definition.subject))
        try await Self.publish(.shows(1, activity: "\(delivery)-1"), of: delivery, nats)

        let ports = [try freePort(), try freePort()]
        let pair = TokenKeyPair.generate(kid: "tests-1")
        let keys = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json")
        try JSONEncoder().encode([pair.entry(roles: Role.allCases)]).write(to: keys)
        defer { try? FileManager.default.removeItem(at: keys) }
        let signer = try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM)
        let token = try await signer.sign(
            Identity(subject: "mira", role: .customer, expiresAt: Date() + 600), at: Date())
        try await withThrowingTaskGroup { group in
            for port in ports {
                let services = try await Self.services(port: port, keys: keys.path)
                let logger = Logger.silent
                group.addTask {
                    try await ServiceGroup(
                        configuration: .init(services: services.map { .init(service: $0) }, logger: logger)
                    ).run()
                }
            }
            try await Self.waitUntilLive(ports)
            var registration = Self.request("/v1/devices/phone", at: ports[0], token)
            registration.method = .PUT
            registration.body = .bytes(ByteBuffer(string: #"{"transport":"stream"}"#))
            let registered = try await HTTPClient.shared.execute(registration, timeout: .minutes(5))
            #expect(registered.status == .ok)

            async let first = Self.eventsUntilEnd(at: ports[0], token)
            async let second = Self.eventsUntilEnd(at: ports[1], token)
            try await Self.waitUntilSent(1, at: ports[1], token, delivery)
            for (number, step) in [
                ActivityStep.shows(2, activity: "\(delivery)-1", phase: .onTheWay),
                .ends(3, activity: "\(delivery)-1", at: Date()),
            ].enumerated() {
                try await Self.publish(step, of: delivery, nats)
                try await Self.waitUntilSent(number + 2, at: ports[1], token, delivery)
            }
            let (one, other) = try await (first, second)
            #expect(one.first?.payload.aps.event == .start && other.first?.payload.aps.event == .start)
            #expect(one.last == other.last && one.last?.payload.aps.event == .end)
            group.cancelAll()
            // Cancelled services throw.
            while (await group.nextResult()) != nil {}
        }
        await nats.close()
    }

    private static func services(port: Int, keys: String) async throws -> [any Service] {
        let postgres = TestPostgres.current
        let settings = try await readSettings(
            service: "activity-dispatch", arguments: [],
            environment: [
                "ENVIRONMENT": "test", "HTTP_PORT": String(port), "AUTH_KEYS_FILE": keys,
                "DATABASE_URL":
                    "postgres://\(postgres.user):\(postgres.password ?? "x")@\(postgres.host):\(postgres.port)/\(postgres.database)",
                "DATABASE_SCHEMA": postgres.schema ?? "", "NATS_URL": try TestNats.configuration().servers[0],
            ])
        let telemetry = Telemetry(logger: .silent, metrics: MetricsRegistry())
        return try await ActivityDispatch.makeServices(
            reading: settings, telemetry: telemetry, schema: postgres.schema ?? "")
    }

    private static func request(_ path: String, at port: Int, _ token: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        request.headers.add(name: "content-type", value: "application/json")
        return request
    }

    private static func waitUntilLive(_ ports: [Int]) async throws {
        for port in ports {
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/live")
            while (try? await HTTPClient.shared.execute(request, timeout: .seconds(5)))?.status != .ok {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private static func intent(
        _ step: ActivityStep, of delivery: DeliveryID, for customer: CustomerID = DispatchUnderTest.mira
    ) -> Intent {
        Intent(
            activity: DispatchUnderTest.activity(delivery), customer: customer, delivery: delivery, writer: .orders,
            step: step)
    }

    /// Publishes an intent between another customer's and what is none.
    private static func publish(_ step: ActivityStep, of delivery: DeliveryID, _ nats: NatsClient) async throws {
        let other = DeliveryID(UUID())
        let intents = [
            intent(.shows(1, activity: "\(other)-1"), of: other, for: DispatchUnderTest.noor),
            intent(step, of: delivery),
        ]
        let elements = [Array("{".utf8)] + (try intents.map { [UInt8](try WireJSON.encode($0)) })
        let batch = OutboxBatch(elements.map { OutboxMessage(subject: Subject.intents(.orders), payload: $0) })
        _ = try await nats.jetStream.publish(
            batch.messages[0].payload, to: batch.messages[0].subject, messageID: UUID().uuidString)
    }

    /// Waits until a card was sent a version: published at once, the next would rightly replace it unsent.
    private static func waitUntilSent(_ version: Int, at port: Int, _ token: String, _ delivery: DeliveryID)
        async throws
    {
        let request = request("/v1/activities/\(DispatchUnderTest.activity(delivery))", at: port, token)
        while true {
            let response = try await HTTPClient.shared.execute(request, timeout: .minutes(5))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            let body = try? WireJSON.decode(ActivityBody.self, from: Data(bytes.readableBytesView))
            if body?.cards.first?.sent?.version == version { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The events of a device's stream up to the first end, however many of those before were already over when the
    /// stream was opened.
    private static func eventsUntilEnd(at port: Int, _ token: String) async throws -> [DeviceEventBody] {
        let response = try await HTTPClient.shared.execute(
            request("/v1/devices/phone/stream", at: port, token), timeout: .minutes(10))
        var text = ""
        for try await piece in response.body {
            text += String(buffer: piece)
            guard text.hasSuffix("\n\n") else { continue }
            let events = try text.split(separator: "\n").filter { $0.hasPrefix("data: ") }
                .map { try JSONDecoder().decode(DeviceEventBody.self, from: Data($0.dropFirst(6).utf8)) }
            if events.last?.payload.aps.event == .end { return events }
        }
        return []
    }
}
