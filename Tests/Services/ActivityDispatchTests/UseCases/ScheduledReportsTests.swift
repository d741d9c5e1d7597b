import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Reports of scheduled cards", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ScheduledReportsTests {
    private let delivery = DeliveryID(UUID())
    private let startAt = noon.epochSeconds + 7200

    private func report(startAt: Int) throws -> DeviceReport {
        try DeviceReport(
            ReportBody(
                instance: "Q", activity: DispatchUnderTest.activity(delivery).rawValue, kind: .pending,
                updateToken: PushTokenBody(value: "ef01"), startAt: startAt),
            at: "reports[0]", now: noon, wall: noon)
    }

    private func wanted(on service: DispatchUnderTest) async throws -> WantedBody.Activity? {
        try await service.showWanted(DispatchUnderTest.phone, of: DispatchUnderTest.mira)?.activities.first
    }

    /// Runs a service whose one phone is on iOS 26 and has scheduled the delivery's card.
    private func scheduled(_ body: (DispatchUnderTest, FakeTransport) async throws -> Void) async throws {
        let transport = FakeTransport([])
        try await DispatchUnderTest.run(apns: transport) { service in
            _ = try await service.registerDevice(
                DispatchUnderTest.phone,
                RegisterDeviceBody(
                    transport: "apns", activitiesEnabled: true, osVersion: "26.0",
                    pushToStartToken: .set(PushTokenBody(value: "abcdabcdabcdabcd"))), for: DispatchUnderTest.mira)
            try await service.show(1, of: delivery, startAt: startAt)
            let offered = try #require(try await wanted(on: service)?.schedule)
            #expect(offered.instance == nil)
            let answer = try #require(
                try await service.applyReports(
                    [try report(startAt: startAt)], from: DispatchUnderTest.phone, of: DispatchUnderTest.mira))
            #expect(answer.taken == 1 && answer.instances.map(\.action) == [.keep])
            try await body(service, transport)
        }
    }

    @Test("A scheduled card is stored, named in what is wanted, sent no start, and updated after its start")
    func stored() async throws {
        try await scheduled { service, transport in
            #expect(try await wanted(on: service)?.schedule?.instance == "Q")
            service.clock.advance(by: 7205)
            try await service.reconcile()
            let waiting = try #require(try await service.cards(of: delivery).first)
            #expect(waiting.state == "waiting" && waiting.why == "scheduled" && !waiting.isBehind)
            #expect(waiting.scheduledAt == Date(timeIntervalSince1970: TimeInterval(startAt)))
            #expect(transport.pushes.isEmpty)
            service.clock.advance(by: 5)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.update])
            let shown = try #require(try await service.cards(of: delivery).first)
            #expect(shown.state == "active" && shown.startedAt == waiting.scheduledAt && shown.sent?.version == 1)
        }
    }

    @Test("The card of a cancelled order is ended at once, and again after its start")
    func cancelled() async throws {
        try await scheduled { service, transport in
            service.clock.advance(by: 60)
            try await service.end(2, of: delivery)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.end])
            service.clock.advance(by: 7150)
            try await service.reconcile()
            #expect(transport.pushes.map(\.event) == [.end, .end])
            #expect(transport.pushes.allSatisfy { $0.dismissal == 0 && $0.token?.value == "ef01" })
        }
    }

    @Test("A start later than the year 2100 is refused by its path")
    func refused() {
        let error = #expect(throws: RegisterDevice.Invalid.self) { try report(startAt: 4_102_444_801) }
        #expect(error?.path == "reports[0].startAt")
    }
}
