import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

extension DispatchHTTPTests {
    private func phones(_ service: DispatchUnderTest, _ server: Server, store: String? = nil) async throws
        -> [CustomerPhoneBody]
    {
        let ida = try await server.headers(.operator, "ida", store: store)
        return try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
            let answer = try await client.execute(
                uri: "/v1/activities?delivery=\(delivery)", method: .get, headers: ida)
            let text = String(buffer: answer.body)
            for token in ["abcdabcdabcdabcd", "ef01ef01ef01ef01"] {
                #expect(!text.contains(token), "no token's value leaves the service")
            }
            return try WireJSON.decode(ActivitiesBody.self, from: Data(text.utf8)).phones ?? []
        }
    }

    private func report(_ service: DispatchUnderTest, _ body: ReportBody) async throws {
        let report = try DeviceReport(body, at: "reports[0]", now: service.clock.now, wall: service.clock.now)
        _ = try await service.applyReports([report], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira)
    }

    @Test("An operator reads what a phone was sent and what its app has told of it, by priority")
    func measured() async throws {
        let transport = FakeTransport([.accepted(), .accepted(id: UUID())])
        try await DispatchUnderTest.run(apns: transport) { service in
            let server = try await server(service)
            try await service.showOnPhone(delivery, transport: "apns")
            let card = try #require(try await service.cards(of: delivery).first).card
            service.clock.advance(by: 30)
            try await report(
                service, ReportBody(card: card, kind: .started, updateToken: PushTokenBody(value: "ef01ef01ef01ef01")))
            let phases: [LiveActivity.Phase] = [.packed, .onTheWay, .arriving, .atDoor]
            for (version, phase) in zip(2..., phases) {
                service.clock.advance(by: 60)
                try await service.show(version, of: delivery, phase: phase)
                try await service.reconcile()
            }
            #expect(transport.pushes.map(\.priority) == [.high, .high, .high, .high, .high])
            service.clock.advance(by: 60)
            try await report(
                service, ReportBody(card: card, kind: .shown, revision: Revision(version: 3, step: 0)))

            let phone = try #require(try await phones(service, server).first)
            #expect(phone.reportedAt == service.clock.now && phone.startToken?.environment == .production)
            for (measure, hours) in zip(phone.measured, [1, 24]) {
                #expect(measure.hours == hours)
                #expect(measure.starts == .init(sent: 1, shown: 1, missing: 0))
                #expect(measure.high == .init(sent: 4, shown: 1, missing: 2))
                #expect(measure.low == .init(sent: 0, shown: 0, missing: 0))
            }
            let pushed = try #require(phone.cards.first)
            #expect(pushed.updateToken?.observedAt != nil && pushed.newestPush?.missedAt == service.clock.now)
            #expect(pushed.newestPush?.result == "taken" && pushed.newestPush?.revision.version == 5)

            service.clock.advance(by: 3 * 3600)
            #expect(try await phones(service, server).first?.measured.map(\.high.sent) == [0, 4])
            service.clock.advance(by: 24 * 3600)
            #expect(try await phones(service, server).first?.measured.map(\.high.sent) == [0, 0])
        }
    }

    @Test("Why a push was not taken, and what Apple calls one that was, is kept with it")
    func answers() async throws {
        let id = UUID()
        let transport = FakeTransport([.halted(reason: "InvalidProviderToken"), .accepted(id: id)])
        try await DispatchUnderTest.run(apns: transport) { service in
            try await service.register(transport: "apns")
            try await service.show(1, of: delivery)
            let dispatcher = service.dispatcher()
            let server = try await server(service, circuit: dispatcher.reconcile.queue.circuit)
            #expect(try await phones(service, server).first?.circuits == [])
            try await dispatcher.reconcileDueDevices()
            await dispatcher.sendQueued()
            let halted = try #require(try await phones(service, server).first)
            #expect(halted.cards.first?.newestPush?.reason == "InvalidProviderToken")
            #expect(
                halted.circuits == [
                    .init(
                        environment: .production, reason: "InvalidProviderToken", since: service.clock.now,
                        nextTryAt: service.clock.now + 30)
                ])
            service.clock.advance(by: 31)
            try await dispatcher.reconcileDueDevices()
            await dispatcher.sendQueued()
            let taken = try #require(try await phones(service, server).first)
            #expect(taken.circuits == [])
            #expect(taken.cards.first?.newestPush?.apnsID == id.uuidString.lowercased())
            #expect(taken.cards.first?.newestPush?.reason == nil)
        }
    }

    @Test("An operator of one store reads of that store's phones, and nobody of other customers'")
    func scope() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let other = DeviceID(rawValue: "other")!
            let noors = DeviceID(rawValue: "noors")!
            try await service.register(store: "nordhavn")
            try await service.register(other, store: "vesterbro")
            try await service.register(noors, for: DispatchUnderTest.noor)
            try await service.show(1, of: delivery, at: "nordhavn")
            let seen = try await phones(service, server, store: "nordhavn")
            #expect(seen.map(\.id) == ["phone"] && seen.first?.measured == [])
            #expect(try await phones(service, server, store: "vesterbro") == [])
        }
    }
}
