import ArrivalEstimate
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Phones and duty", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PhonesTests {
    static func decode<Value: Decodable>(_ type: Value.Type, _ response: TestResponse) throws -> Value {
        try WireJSON.decode(type, from: Data(response.body.readableBytesView))
    }

    private static func send(_ token: String, at time: Double, _ client: any TestClientProtocol) async throws
        -> TestResponse
    {
        let place = along(max(0, time) / 900)
        let body = """
            {"fixes":[{"time":\(seconds(time).timeIntervalSince1970),"latitude":\(place.latitude),\
            "longitude":\(place.longitude),"accuracy":8}]}
            """
        return try await client.execute(
            uri: "/v1/fixes", method: .post, headers: [.authorization: "Bearer \(token)"],
            body: ByteBuffer(string: body))
    }

    private static func fixesAnswer(_ response: TestResponse) throws -> FixesAnswer {
        try decode(FixesAnswer.self, response)
    }

    @Test("A phone is enrolled, seen, listed and revoked; its token is kept nowhere")
    func life() async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            let operators = try await port.token(.operator, "ada")
            let enrolled = try await port.enrol("mira", client)
            #expect(try Self.fixesAnswer(try await Self.send(enrolled.token, at: 95, client)).accepted == 1)
            let uri = "/v1/couriers/mira/phones"
            let list = try Self.decode(
                PhonesBody.self, try await client.execute(uri: uri, method: .get, headers: operators))
            #expect(list.phones.map(\.phone) == [enrolled.phone.phone])
            #expect(list.phones[0].enrolledBy == "operator ada" && list.phones[0].lastSeenAt == seconds(100))
            #expect(list.phones[0].revokedAt == nil)

            let revoke = "\(uri)/\(enrolled.phone.phone)"
            let revoked = try await client.execute(uri: revoke, method: .delete, headers: operators)
            #expect(try Self.decode(PhoneBody.self, revoked).revokedBy == "operator ada")
            harness.move(to: 110)
            let again = try await client.execute(
                uri: revoke, method: .delete, headers: try await port.token(.courier, "mira"))
            #expect(try Self.decode(PhoneBody.self, again).revokedAt == seconds(100))
            #expect(try await Self.send(enrolled.token, at: 108, client).status == .unauthorized)
            #expect(port.counter("doorstep_phones_refused_total", #"reason="revoked""#) == 1)

            let rows = try await harness.pool.query("SELECT row_to_json(phones)::text AS row FROM phones")
            #expect(rows.count == 1)
            #expect(try !rows[0].decode("row", as: String.self).contains(enrolled.token))
        }
    }

    @Test("What a phone sends and nobody can read is shown with the phone, once a minute")
    func malformed() async throws {
        try await Port.run { harness, port, client in
            let operators = try await port.token(.operator, "ada")
            let enrolled = try await port.enrol("mira", client)
            func send(_ text: String) async throws {
                let response = try await client.execute(
                    uri: "/ingest/traccar/\(enrolled.token)", method: .post, body: ByteBuffer(string: text))
                #expect(response.status == .ok)
            }
            func phone() async throws -> PhoneBody {
                let uri = "/v1/couriers/mira/phones"
                let response = try await client.execute(uri: uri, method: .get, headers: operators)
                return try Self.decode(PhonesBody.self, response).phones[0]
            }
            #expect(try await phone().malformed == 0)
            harness.move(to: 100)
            try await send("lat=55.7&lon=east&timestamp=1795284090")
            #expect(try await phone().malformed == 1)
            harness.move(to: 130)
            try await send("hello")
            #expect(try await phone().malformed == 1, "no heartbeat is due")
            harness.move(to: 170)
            try await send("hello")
            let last = try await phone()
            #expect(last.malformed == 3 && last.malformedAt == seconds(170))
            let list = try await client.execute(uri: "/v1/couriers", method: .get, headers: operators)
            let courier = try Self.decode(CouriersBody.self, list).couriers[0]
            #expect(courier.malformed == 3 && courier.malformedAt == seconds(170))
            harness.move(to: 300)
            try await send(AppBodies.traccarTenHeartbeat)
            #expect(try await phone().malformed == 3)
            #expect(try await phone().malformedAt == seconds(170))
            #expect(port.dropped("traccar", "malformed") == 3)
        }
    }

    @Test("A phone that another process revoked is refused after the next refresh")
    func elsewhere() async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            let enrolled = try await port.enrol("mira", client)
            #expect(try await Self.send(enrolled.token, at: 95, client).status == .ok)
            let id = PhoneID(rawValue: enrolled.phone.phone)
            _ = try await PhoneRepository.revoke(
                id, of: mira.id, at: seconds(100), by: "operator ada", on: harness.pool)
            #expect(try await Self.send(enrolled.token, at: 96, client).status == .ok, "no refresh yet")
            // As after a pause of the process.
            harness.move(to: 100 + 3 * PhoneCache.refreshSeconds)
            await port.phones.refresh()
            #expect(try await Self.send(enrolled.token, at: 97, client).status == .unauthorized)
        }
    }

    @Test("Who may see and change a courier's phones and duty")
    func rights() async throws {
        try await Port.run { _, port, client in
            let enrolled = try await port.enrol("mira", client)
            let phone = "/v1/couriers/mira/phones/\(enrolled.phone.phone)"
            let noah = try await port.token(.courier, "noah")
            let cases: [(String, HTTPRequest.Method, HTTPFields, Int)] = [
                ("/v1/couriers/mira/phones", .get, [:], 401), ("/v1/couriers/mira/phones", .get, noah, 404),
                ("/v1/couriers/mira/phones", .get, try await port.token(.customer, "mette"), 404),
                ("/v1/couriers/mira/phones", .get, try await port.token(.courier, "mira"), 200),
                (phone, .delete, noah, 404), ("/v1/couriers/mira/duty", .put, noah, 404),
                ("/v1/couriers/mira/duty", .get, [:], 401), ("/v1/couriers/mira/duty", .delete, noah, 404),
                ("/v1/couriers/mira/phones/none", .delete, try await port.token(.operator, "ada"), 404),
                ("/v1/couriers/noah/phones/\(enrolled.phone.phone)", .delete, noah, 404),
            ]
            for (uri, method, headers, status) in cases {
                let response = try await client.execute(uri: uri, method: method, headers: headers)
                #expect(response.status.code == status, "\(method) \(uri)")
            }
        }
    }

    @Test("A courier has eight phones at most, and a label is one short line")
    func bounds() async throws {
        try await Port.run { _, port, client in
            let operators = try await port.token(.operator, "ada")
            func enrol(_ body: String) async throws -> Int {
                try await client.execute(
                    uri: "/v1/couriers/mira/phones", method: .post, headers: operators, body: ByteBuffer(string: body)
                ).status.code
            }
            let refused = [
                #"{"label":""}"#, #"{"label":"a\nb"}"#, #"{"label":"a\u001b[2J"}"#, #"{"app":"pager"}"#, "", "[]",
            ]
            for body in refused {
                #expect(try await enrol(body) == 400, "\(body)")
            }
            for number in 0..<8 { #expect(try await enrol(#"{"app":"overland","label":"\#(number)"}"#) == 201) }
            #expect(try await enrol("{}") == 409)
        }
    }

    @Test("Of two enrolments at once for a courier's last place one succeeds")
    func concurrentEnrolments() async throws {
        try await Port.run { harness, port, client in
            for _ in 0..<7 { _ = try await port.enrol("mira", client) }
            let operators = try await port.token(.operator, "ada")
            let enrolments = try await harness.pool.withTransaction { transaction in
                try await transaction.execute("LOCK TABLE phones IN EXCLUSIVE MODE")
                let enrolments = (0..<2).map { _ in
                    Task {
                        try await client.execute(
                            uri: "/v1/couriers/mira/phones", method: .post, headers: operators,
                            body: ByteBuffer(string: "{}")
                        ).status
                    }
                }
                try await eventually("both enrolments wait") {
                    try await TestPostgres.awaitedLocks(on: harness.pool) == 2
                }
                return enrolments
            }
            let statuses = try await [enrolments[0].value, enrolments[1].value]
            #expect(Set(statuses) == [.created, .conflict])
            #expect(try await PhoneRepository.count(of: mira.id, on: harness.pool) == 8)
        }
    }

    @Test(
        "Off duty nothing is ingested; a delivery or a declared period makes it duty, and a position counts by when it was measured"
    )
    func duty() async throws {
        try await Port.run { harness, port, client in
            harness.move(to: 1_000)
            let token = try await port.enrol("mira", client).token
            func fixesAnswer(at time: Double) async throws -> FixesAnswer {
                try Self.fixesAnswer(try await Self.send(token, at: time, client))
            }
            #expect(try await fixesAnswer(at: 990) == FixesAnswer(accepted: 0, ignored: ["off_duty": 1]))
            #expect(try await !CourierRepository.isKnown(mira.id, on: harness.pool))

            let courier = try await port.token(.courier, "mira")
            func duty(_ method: HTTPRequest.Method, _ body: String = "") async throws -> DutyBody {
                try Self.decode(
                    DutyBody.self,
                    try await client.execute(
                        uri: "/v1/couriers/mira/duty", method: method, headers: courier, body: ByteBuffer(string: body))
                )
            }
            #expect(try await duty(.get) == DutyBody(courier: mira.id, onDuty: false, because: nil, until: nil))
            let begun = try await duty(.put)
            #expect(begun.onDuty && begun.because == .declared && begun.until == seconds(1_000 + 43_200))
            harness.move(to: 1_500)
            #expect(try await fixesAnswer(at: 1_490).accepted == 1)
            #expect(try await fixesAnswer(at: 500) == FixesAnswer(accepted: 0, ignored: ["off_duty": 1]))
            #expect(try await duty(.delete).onDuty == false)
            harness.move(to: 2_000)
            #expect(try await fixesAnswer(at: 1_990).ignored == ["off_duty": 1])
            #expect(try await fixesAnswer(at: 1_400).accepted == 1, "saved up on duty, sent later")

            try await harness.parts.applyDeliveryChange(try Delivery.sample(in: .enRoute, at: 2_000).changed(at: 2_000))
            harness.move(to: 2_010)
            #expect(try await fixesAnswer(at: 2_005).accepted == 1)
            #expect(try await duty(.get) == DutyBody(courier: mira.id, onDuty: true, because: .delivery, until: nil))
        }
    }

    @Test("A duty that is begun and ended again and again is one period, and a later one another")
    func restlessDuty() async throws {
        try await Port.run { harness, port, client in
            let courier = try await port.token(.courier, "mira")
            func duty(_ method: HTTPRequest.Method) async throws -> DutyBody {
                let response = try await client.execute(
                    uri: "/v1/couriers/mira/duty", method: method, headers: courier)
                return try Self.decode(DutyBody.self, response)
            }
            func periods() async throws -> Int {
                try await harness.pool.query("SELECT FROM duties").count
            }
            for time in 0..<5 {
                harness.move(to: Double(10 * time))
                #expect(try await duty(.put).onDuty)
                harness.move(to: Double(10 * time + 5))
                #expect(try await !duty(.delete).onDuty)
            }
            #expect(try await periods() == 1)
            harness.move(to: 45 + Duty.clockSeconds)
            #expect(try await duty(.put).onDuty)
            #expect(try await periods() == 2)
        }
    }

    @Test("A delivery's end ends the duty that it made; what was measured before is still taken")
    func ended() async throws {
        try await Port.run { harness, port, client in
            var delivery = try Delivery.sample(in: .atDoor, at: 10)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 10))
            let token = try await port.enrol("mira", client).token
            try delivery.change(.status(.delivered, reason: nil), at: 600)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 600))
            harness.move(to: 1_200)
            #expect(try Self.fixesAnswer(try await Self.send(token, at: 1_190, client)).ignored == ["off_duty": 1])
            #expect(try Self.fixesAnswer(try await Self.send(token, at: 590, client)).accepted == 1)
        }
    }

    @Test(
        "A duty lasts sixteen hours at most",
        arguments: [
            (-60.0, 400), (0, 400), (60, 200), (57_600, 200), (57_660, 400),
        ] as [(Double, Int)])
    func dutyBounds(after time: Double, status: Int) async throws {
        try await Port.run { _, port, client in
            let body = #"{"until":"\#(WireJSON.text(of: seconds(time)))"}"#
            let response = try await client.execute(
                uri: "/v1/couriers/mira/duty", method: .put, headers: try await port.token(.operator, "ada"),
                body: ByteBuffer(string: body))
            #expect(response.status.code == status)
        }
    }

    @Test("Two phones of one courier: the one left at home moves nothing on any screen")
    func twoPhones() async throws {
        try await Port.run { harness, port, client in
            try await harness.learnDelivery(in: .enRoute)
            let carried = try await port.enrol("mira", client).token
            let left = try await port.enrol("mira", client).token
            let home = #"{"fixes":[{"time":TIME,"latitude":55.72,"longitude":12.55,"accuracy":9}]}"#
            for time in stride(from: 15.0, through: 450, by: 15) {
                harness.move(to: time)
                #expect(try Self.fixesAnswer(try await Self.send(carried, at: time, client)).accepted == 1)
                guard time > 150 else { continue }
                // Begins to send while the courier is under way, at the very same seconds.
                let body = home.replacing("TIME", with: "\(seconds(time).timeIntervalSince1970)")
                let response = try await client.execute(
                    uri: "/v1/fixes", method: .post, headers: [.authorization: "Bearer \(left)"],
                    body: ByteBuffer(string: body))
                #expect(try Self.fixesAnswer(response).accepted == 1)
            }
            let published = try await harness.published().estimates
            let arrivals = published.map { $0.estimate.arrivesAt.timeIntervalSince(start) }
            let clean = try await Self.cleanArrivals()
            // Messages have milliseconds.
            #expect(!arrivals.isEmpty && arrivals.count == clean.count)
            for (arrival, expected) in zip(arrivals, clean) { #expect(abs(arrival - expected) < 0.002) }
        }
    }

    /// The arrivals published for the same ride with one phone.
    @Sendable private static func cleanArrivals() async throws -> [Double] {
        var tracked = DeliveryTracker().begin(try Delivery.sample(in: .enRoute).changed(at: 0), after: nil)
        var rode = CourierTrack()
        _ = DeliveryTracker().update(&tracked, track: rode, carried: [tracked.delivery], now: start)
        tracked.nextStep()
        var arrivals = [tracked.tracking.published?.arrivesAt.timeIntervalSince(start) ?? 0]
        for time in stride(from: 15.0, through: 450, by: 15) {
            try rode.insert(
                Fix(time: seconds(time), place: along(time / 900), accuracy: 8), receivedAt: seconds(time))
            let update = DeliveryTracker().update(
                &tracked, track: rode, carried: [tracked.delivery], now: seconds(time))
            if !update.isEmpty {
                tracked.nextStep()
                arrivals.append(tracked.tracking.published?.arrivesAt.timeIntervalSince(start) ?? 0)
            }
        }
        return arrivals
    }
}
