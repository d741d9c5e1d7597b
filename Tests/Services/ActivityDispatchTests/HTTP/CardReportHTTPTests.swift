import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

extension DispatchHTTPTests {
    @Test("A token of one store sees that store's cards alone, and a day without totals is refused")
    func cardReport() async throws {
        try await DispatchUnderTest.run { service in
            let day = SampleDay(seed: 12, deliveries: 60)
            try await day.store(on: service.pool)
            service.clock.advance(by: 13 * 3_600)
            try await CountCards(pool: service.pool, clock: service.clock.domain, process: UUID())()
            let server = try await server(service)
            let ida = try await server.headers(.operator, "ida")
            let valby = try await server.headers(.store, "shop", store: "valby")
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                func get(_ headers: HTTPFields, _ query: String) async throws -> TestResponse {
                    try await client.execute(
                        uri: "/v1/cards/report?day=2026-11-21\(query)", method: .get, headers: headers)
                }
                func body(_ headers: HTTPFields, _ query: String = "") async throws -> CardReportBody {
                    try WireJSON.decode(
                        CardReportBody.self, from: Data(try await get(headers, query).body.readableBytesView))
                }
                let (all, own) = (try await body(ida), try await body(valby))
                #expect(all.stores.count == SampleDay.stores.count && own.stores.map(\.store.rawValue) == ["valby"])
                #expect(own.figures == all.stores.first { $0.store.rawValue == "valby" }?.figures)
                #expect(try await body(ida, "&store=valby").figures == own.figures)
                #expect(try await body(valby, "&store=nordhavn").figures == own.figures)
                #expect(own.figures.deliveries > 0 && own.groups.allSatisfy { $0.store.rawValue == "valby" })
                // A day without rows is not complete before it is counted for good.
                let empty = try await client.execute(
                    uri: "/v1/cards/report?day=2026-11-18", method: .get, headers: ida)
                let before = try WireJSON.decode(CardReportBody.self, from: Data(empty.body.readableBytesView))
                #expect(before.isFinal && before.stores.isEmpty && !all.isFinal && !own.isFinal)
                let next = try await client.execute(
                    uri: "/v1/cards/report?day=2026-11-23", method: .get, headers: ida)
                let later = try WireJSON.decode(CardReportBody.self, from: Data(next.body.readableBytesView))
                #expect(!later.isFinal && later.stores.isEmpty && later.figures.deliveries == 0)
                for day in ["2020-01-01", "2026-02-30", "monday"] {
                    let refused = try await client.execute(
                        uri: "/v1/cards/report?day=\(day)", method: .get, headers: ida)
                    #expect(refused.status == .badRequest, "\(day)")
                }
            }
        }
    }
}
