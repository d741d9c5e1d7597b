import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import CourierETA

@Suite("Who read personal data in courier-eta", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PersonalReadsTests {
    @Test("Every operation of the document is a recorded read, or has no data of another person")
    func declared() throws {
        let document = try OpenAPIDocument(yaml: CourierETA.openAPI)
        let recorded = CourierETAHTTP.personalReads.adding(PersonalReads.ofOperatorRoutes).operations.mapValues(\.name)
        let faults = document.faults(
            ofRecorded: recorded,
            unrecorded: OpenAPIDocument.readsOfEveryService.union(OpenAPIDocument.changesOfOperatorRoutes).union([
                "sendFixes", "askToSendFixes", "sendOwnTracksMessage", "sendOverlandBatch", "sendTraccarPosition",
                "sendTraccarPositionWithPathToken", "sendOsmAndPosition", "sendOsmAndPositionWithPathToken",
                "sendGPSLoggerPosition", "sendGPSLoggerPositionWithPathToken", "enrolPhone", "revokePhone",
                "beginDuty", "endDuty", "setCourierMap", "republishEstimates",
                // A courier's phone sends, or reads its own settings.
                "sendOsmAndQuery", "sendOsmAndQueryWithPathToken", "sendGPSLoggerQueryWithPathToken",
                "getGPSLoggerProfile",
            ]))
        #expect(faults == [])
    }

    @Test("A read of a courier or of an estimate has its reader, operation, kind and persons")
    func reads() async throws {
        try await Port.run { harness, port, client in
            let delivery = try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 90)
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            let (operators, own) = (
                try await port.token(.operator, "ada"), try await port.token(.courier, mira.id.rawValue)
            )
            let paths = [
                "/v1/couriers", "/v1/courier-positions", "/v1/couriers/mira", "/v1/couriers/mira/duty",
                "/v1/couriers/mira/map", "/v1/couriers/mira/trip", "/v1/estimates/\(delivery.id)",
            ]
            for path in paths {
                let answer = try await client.execute(uri: path, method: .get, headers: operators)
                #expect(answer.status == .ok, "\(path)")
            }
            _ = try await client.execute(uri: "/v1/couriers/mira", method: .get, headers: own)
            // A list without phones has no data.
            _ = try await client.execute(uri: "/v1/couriers/mira/phones", method: .get, headers: operators)
            let rows = try await PersonalReadLog(pool: harness.pool).list(.init()).reads
            #expect(rows.allSatisfy { $0.by == "ada" && $0.role == "operator" && $0.reads == 1 })
            #expect(
                Set(rows.map(\.operation)) == [
                    "listCouriers", "listCourierPositions", "getCourier", "getDuty", "getCourierMap", "previewTrip",
                    "getEstimate",
                ])
            for row in rows {
                let isEstimate = row.operation == "getEstimate"
                #expect(isEstimate ? row.deliveries == [delivery.id.rawValue] : row.couriers == ["mira"], "\(row)")
            }
            #expect(Set(rows.map(\.kind)) == ["courier", "position", "duty", "estimate"])
        }
    }
}
