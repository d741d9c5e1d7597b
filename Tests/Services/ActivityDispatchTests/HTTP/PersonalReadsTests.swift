import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import ActivityDispatch

extension DispatchUnderTest {
    /// The operators' routes of a port, with a recorder of its own.
    func operatorRoutes(resync: @escaping @Sendable () async throws -> Int) -> OperatorRoutes {
        OperatorRoutes(
            DeadLetters(pool: pool),
            reads: PersonalReadRecorder(pool: pool, clock: clock.domain, logger: .silent), wakeRelay: {},
            resync: resync)
    }
}

extension DispatchHTTPTests {
    @Test("Every operation of the document is a recorded read, or has no data of another person")
    func declaredReads() throws {
        let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
        let recorded = DispatchHTTP.personalReads.adding(PersonalReads.ofOperatorRoutes).operations.mapValues(\.name)
        let faults = document.faults(
            ofRecorded: recorded,
            // A customer's own device, and totals without persons.
            unrecorded: OpenAPIDocument.readsOfEveryService.union(OpenAPIDocument.changesOfOperatorRoutes).union([
                "streamPushes", "getWanted", "getCardReport",
                "registerDevice", "reportCards", "resendActivity", "endActivityCards", "republishCardHealth",
            ]))
        #expect(faults == [])
    }

    @Test("A read of devices or cards has its reader and persons, and loses an erased customer's id")
    func personalReads() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            try await service.register()
            try await service.show(1, of: delivery)
            let (ida, mira) = (
                try await server.headers(.operator, "ida"), try await server.headers(.customer, "mira")
            )
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let activity = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
                for path in ["/v1/devices?search=p", "/v1/activities?delivery=\(delivery)", activity] {
                    let answer = try await client.execute(uri: path, method: .get, headers: ida)
                    #expect(answer.status == .ok, "\(path)")
                }
                _ = try await client.execute(uri: activity, method: .get, headers: mira)
                _ = try await client.execute(uri: "/v1/devices?search=none", method: .get, headers: ida)
            }
            let log = PersonalReadLog(pool: service.pool)
            let rows = try await log.list(.init()).reads
            #expect(rows.map(\.operation).sorted() == ["getActivity", "listActivities", "listDevices"])
            #expect(rows.allSatisfy { $0.by == "ida" && $0.customers == ["mira"] })
            #expect(Set(rows.map(\.kind)) == ["card", "device"])
            #expect(rows.allSatisfy { $0.operation == "listDevices" || $0.deliveries == [delivery.rawValue] })

            var filter = PersonalReadLog.Filter()
            filter.customer = "mira"
            let erased = try await PersonalReadLog.replace(.customer, "mira", with: "erased-1", on: service.pool)
            #expect(erased == ["personal_reads": 3])
            #expect(try await log.list(filter).reads.isEmpty)
        }
    }
}
