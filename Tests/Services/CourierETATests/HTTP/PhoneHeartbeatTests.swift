import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import CourierETA

@Suite("Phones' heartbeats", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PhoneHeartbeatTests {
    /// The row of an enrolled phone.
    private static func row(of phone: EnrolledPhoneBody, _ harness: Harness) async throws -> Phone? {
        try await PhoneRepository.phones(of: mira.id, on: harness.pool).first { $0.id.rawValue == phone.phone.phone }
    }

    private static func send(
        _ text: String, _ phone: EnrolledPhoneBody, _ client: any TestClientProtocol
    ) async throws -> HTTPResponse.Status {
        try await client.execute(
            uri: "/ingest/traccar/\(phone.token)", method: .post, body: ByteBuffer(string: text)
        ).status
    }

    @Test("A heartbeat that could not be recorded is recorded with the next request, and counts no position twice")
    func failed() async throws {
        try await Port.run { harness, port, client in
            let phone = try await port.enrol("mira", client)
            for time in [100.0, 130] {
                harness.move(to: time)
                #expect(try await Self.send("hello", phone, client) == .ok)
            }
            harness.move(to: 170)
            try await harness.pool.execute(
                """
                CREATE FUNCTION be_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    RAISE 'the statement timed out' USING ERRCODE = '57014';
                END $$
                """)
            try await harness.pool.execute(
                "CREATE TRIGGER late BEFORE UPDATE ON phones FOR EACH ROW EXECUTE FUNCTION be_late()")
            #expect(try await Self.send("hello", phone, client) == .serviceUnavailable)
            try await harness.pool.execute("DROP TRIGGER late ON phones")
            harness.move(to: 171)
            #expect(try await Self.send("hello", phone, client) == .ok)
            let row = try #require(try await Self.row(of: phone, harness))
            #expect(row.lastSeenAt == seconds(171) && row.malformed == 3 && row.malformedAt == seconds(171))
        }
    }

    @Test("A phone whose requests are all dropped unread is seen as well")
    func dropped() async throws {
        try await Port.run(phoneBurst: 1) { harness, port, client in
            let frequent = try await port.enrol("mira", client)
            let large = try await port.enrol("mira", client)
            harness.move(to: 100)
            #expect(try await Self.send("hello", frequent, client) == .ok)
            harness.move(to: 200)
            #expect(try await Self.send("hello", frequent, client) == .ok)
            #expect(port.dropped("traccar", "over_rate") == 1)
            let body = String(repeating: " ", count: IngestHTTP.bodyBytesMax + 1)
            #expect(try await Self.send(body, large, client) == .ok)
            #expect(port.dropped("traccar", "too_large") == 1)
            for phone in [frequent, large] {
                #expect(try await Self.row(of: phone, harness)?.lastSeenAt == seconds(200))
            }
        }
    }

    @Test("A phone whose own batches are all refused is seen as well, and they are counted")
    func refused() async throws {
        try await Port.run(phoneBurst: 1) { harness, port, client in
            let phone = try await port.enrol("mira", client)
            func expect(_ status: HTTPResponse.Status, at time: Double) async throws {
                harness.move(to: time)
                let response = try await client.execute(
                    uri: "/v1/fixes", method: .post, headers: [.authorization: "Bearer \(phone.token)"],
                    body: ByteBuffer(string: "{"))
                #expect(response.status == status)
                let row = try await Self.row(of: phone, harness)
                #expect(row?.lastSeenAt == seconds(time) && row?.malformed == 1)
            }
            try await expect(.badRequest, at: 100)
            try await expect(.tooManyRequests, at: 200)
            #expect(port.dropped("doorstep", "malformed") == 1 && port.dropped("doorstep", "over_rate") == 1)
        }
    }

    @Test("A download of GPSLogger's profile leaves the heartbeat to the first position")
    func profile() async throws {
        try await Port.run { harness, port, client in
            let phone = try await port.enrol("mira", client)
            harness.move(to: 100)
            let profile = try await client.execute(
                uri: "/ingest/gpslogger/\(phone.token)/doorstep.properties", method: .get)
            #expect(profile.status == .ok)
            harness.move(to: 110)
            #expect(try await Self.send("hello", phone, client) == .ok)
            #expect(try await Self.row(of: phone, harness)?.lastSeenAt == seconds(110))
        }
    }
}
