import FoundationEssentials
import TestSupport
import Testing

@testable import NatsClient

@Suite("Inside the NATS client", .timeLimit(.minutes(10)))
struct InternalsTests {
    @Test("The C library holds no callback context once a client is closed", .nats)
    func liveContexts() async throws {
        let client = NatsClient(try TestNats.configuration(), logger: .silent)
        for _ in 0..<3 {
            try await client.connect()
            let fixture = try await Fixture(client)
            let subscription = try await client.subscribe(uniqueName("a."))
            let dropped = try await client.subscribe(uniqueName("b."))
            dropped.unsubscribe()
            let reading = Task { try await fixture.consumer.forEach { try await $0.settle(.acknowledge) } }
            try await eventually("pulling") { try await fixture.info().waitingPulls == 1 }
            #expect(client.liveCallbackContexts >= 3)
            reading.cancel()
            _ = await reading.result
            await client.close()
            try await eventually("none live") { client.liveCallbackContexts == 0 }
            subscription.unsubscribe()
        }
        await #expect(throws: NatsError.self) {
            try await NatsClient(NatsConfiguration(servers: ["nats://127.0.0.1:9"]), logger: .silent).connect()
        }
    }

    @Test("A failed connect leaves no callback context behind")
    func failedConnect() async throws {
        let client = NatsClient(NatsConfiguration(servers: ["nats://127.0.0.1:9"]), logger: .silent)
        await #expect(throws: NatsError.self) { try await client.connect() }
        #expect(client.liveCallbackContexts == 0)
    }

    @Test(
        "A stream's cluster is read from its info, and is none where the server names itself alone",
        arguments: [
            (#","cluster":{"name":"doorstep","leader":"nats-2"}"#, "doorstep"), (#","cluster":{"leader":"a"}"#, nil),
            ("", nil),
        ] as [(String, String?)])
    func cluster(_ part: String, _ name: String?) throws {
        let text = #"""
            {"config":{"name":"ORDERS","subjects":["orders.>"],"retention":"limits","discard":"old","max_age":1,\#
            "max_bytes":-1,"num_replicas":1,"storage":"file","max_msgs":-1,"max_consumers":-1,"max_msg_size":-1},\#
            "state":{"messages":0,"bytes":0,"first_seq":0,"last_seq":0,"consumer_count":0},"created":"now"
            """#
        let info = try JetStream.decode(Array((text + part + "}").utf8), as: WireStreamInfo.self, operation: "reading")
        #expect(info.info.cluster == name)
    }

    @Test(
        "A message's place is read from its reply subject, with and without a domain",
        arguments: [
            "$JS.ACK.ORDERS.reader.3.17.42.1700000000500000000.5",
            "$JS.ACK.hub.h4sh.ORDERS.reader.3.17.42.1700000000500000000.5",
            "$JS.ACK.hub.h4sh.ORDERS.reader.3.17.42.1700000000500000000.5.r4nd0m",
        ])
    func place(_ reply: String) throws {
        let message = try #require(StreamMessage(NatsMessage(subject: "a", payload: [], reply: reply)))
        #expect(message.stream == "ORDERS")
        #expect(message.deliveryCount == 3)
        #expect(message.streamSequence == 17)
        #expect(message.consumerSequence == 42)
        #expect(message.timestamp == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(message.pending == 5)
    }

    @Test(
        "A reply subject that is not JetStream's makes no stream message",
        arguments: [nil, "_INBOX.a", "$JS.ACK.a.b.x.1.2.3.4"])
    func noPlace(_ reply: String?) {
        #expect(StreamMessage(NatsMessage(subject: "a", payload: [], reply: reply)) == nil)
    }

    @Test("The subject of a refusal is found in the server's sentence")
    func refusal() {
        #expect(ReconnectingConnection.refusedSubject(in: "Permissions Violation for Publish to \"a.b\"") == "a.b")
        #expect(ReconnectingConnection.refusedSubject(in: "permissions violation for subscription to \"c.>\"") == "c.>")
        #expect(ReconnectingConnection.refusedSubject(in: "Slow Consumer") == nil)
    }
}

@Suite("What a pull consumer does next")
struct PullStateTests {
    private let transport = ReconnectingConnection(NatsConfiguration(), logger: .silent)

    @Test("It never pulls more than there is room for, and pulls again only when there is some")
    func room() {
        var state = PullState(batchMax: 8, inFlightMessagesMax: 10, unitMessagesMax: 1, unitsMax: 10)
        #expect(pulled(&state) == 8)
        for _ in 0..<8 { arrive(&state) }
        #expect(started(&state) == 8)
        #expect(pulled(&state) == 2)
        for _ in 0..<2 { arrive(&state) }
        #expect(started(&state) == 2)
        #expect(pulled(&state) == nil)
        state.unitEnded(1)
        #expect(pulled(&state) == nil)
        state.unitEnded(2)
        #expect(pulled(&state) == 2)
    }

    @Test("After a failed pull it backs off, up to two seconds; an expired pull is no failure")
    func backOff() {
        var state = PullState(batchMax: 1, inFlightMessagesMax: 1, unitMessagesMax: 1, unitsMax: 1)
        var delays: [Duration] = []
        for _ in 0..<6 {
            #expect(pulled(&state) == 1)
            delays.append(state.pullEnded(nil, .broken("gone"))?.delay ?? .zero)
            #expect(pulled(&state) == nil)
            state.backOffEnded()
        }
        #expect(delays.map(\.milliseconds) == [100, 200, 400, 800, 1_600, 2_000])
        #expect(pulled(&state) == 1)
        #expect(state.pullEnded(nil, .expired)?.delay == .zero)
        #expect(pulled(&state) == 1)
    }

    @Test("After a missed heartbeat it checks the consumer until it exists, and does not pull meanwhile")
    func consumerChecks() {
        var state = PullState(batchMax: 1, inFlightMessagesMax: 1, unitMessagesMax: 1, unitsMax: 1)
        #expect(pulled(&state) == 1)
        #expect(state.pullEnded(nil, .heartbeatMissed)?.delay == .zero)
        #expect(checksConsumer(&state))
        #expect(pulled(&state) == nil)
        let delay = state.consumerChecked(exists: false)
        #expect(delay == .milliseconds(100))
        #expect(!checksConsumer(&state))
        state.backOffEnded()
        #expect(checksConsumer(&state))
        let noDelay = state.consumerChecked(exists: true)
        #expect(noDelay == .zero)
        #expect(pulled(&state) == 1)
    }

    @Test("The end of an older pull does not end the present one")
    func stalePull() {
        var state = PullState(batchMax: 4, inFlightMessagesMax: 4, unitMessagesMax: 1, unitsMax: 4)
        #expect(pulled(&state) == 4)
        #expect(state.pullEnded(1, .expired) != nil)
        #expect(pulled(&state) == 4)
        #expect(state.pullEnded(1, .expired) == nil)
        #expect(pulled(&state) == nil)
    }

    @Test("After a stop it releases the messages that wait, accepts none and pulls none")
    func stop() {
        var state = PullState(batchMax: 4, inFlightMessagesMax: 4, unitMessagesMax: 1, unitsMax: 1)
        #expect(pulled(&state) == 4)
        for _ in 0..<3 { arrive(&state) }
        #expect(started(&state) == 1)
        let released = state.stop()
        #expect(released.count == 2)
        let isAccepted = state.arrived(message()).isAccepted
        #expect(!isAccepted)
        state.unitEnded(1)
        #expect(started(&state) == 0)
        #expect(pulled(&state) == nil)
    }

    @Test("It holds what waits and what is worked on, by the time of arrival, until the work has ended")
    func held() {
        var state = PullState(batchMax: 4, inFlightMessagesMax: 4, unitMessagesMax: 1, unitsMax: 1)
        let began = ContinuousClock.now
        for second in 0..<3 { _ = state.arrived(message(at: began + .seconds(second))) }
        #expect(started(&state) == 1)
        let times = { (first: Int, last: Int) in began + .seconds(first)...began + .seconds(last) }
        #expect(state.held(arrivedIn: times(0, 2)).count == 3)
        #expect(state.held(arrivedIn: times(0, 0)).count == 1)
        #expect(state.held(arrivedIn: times(1, 1)).count == 1)
        #expect(state.held(arrivedIn: times(3, 9)).isEmpty)
        state.unitEnded(1)
        #expect(state.held(arrivedIn: times(0, 2)).count == 2)
    }

    private func message(at time: ContinuousClock.Instant = .now) -> PendingMessage {
        let message = NatsMessage(subject: "a", payload: [], reply: "$JS.ACK.S.d.1.1.1.0.0")
        return PendingMessage(message, at: time, transport: transport)!
    }

    private func arrive(_ state: inout PullState) {
        let isAccepted = state.arrived(message()).isAccepted
        #expect(isAccepted)
    }

    private func checksConsumer(_ state: inout PullState) -> Bool {
        if case .checkConsumer = state.nextAction() { true } else { false }
    }

    /// How many it pulls now; nil if it does not pull.
    private func pulled(_ state: inout PullState) -> Int? {
        if case .pull(let count, _) = state.nextAction() { count } else { nil }
    }

    /// How many messages it starts before it does something else; takes back a pull by leaving none open.
    private func started(_ state: inout PullState) -> Int {
        var count = 0
        while !state.waiting.isEmpty, case .start(let unit, _) = state.nextAction() { count += unit.count }
        return count
    }
}
