import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("A state that is said again", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ProlongedStateTests {
    private let delivery = DeliveryID(UUID())
    private let seconds = Int(noon.timeIntervalSince1970)

    private func prolong(_ service: DispatchUnderTest, staleIn: Int) async throws -> Bool {
        try await service.apply({ .shows(1, activity: $0, staleAt: seconds + staleIn) }, of: delivery)
    }

    @Test("It is pushed with its later stale date before the card goes stale")
    func pushed() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            #expect(try await prolong(service, staleIn: 600))
            try await service.reconcile()
            service.clock.advance(by: 300)
            #expect(try await prolong(service, staleIn: 2100))
            try await service.reconcile()
            #expect(try await service.events()?.map(\.event) == [.start])
            service.clock.advance(by: 280)
            try await service.reconcile()
            let last = try #require(try await service.events()?.last)
            #expect(last.event == .update && last.body.payload.aps.staleDate == seconds + 2100)
            #expect(last.body.payload.aps.alert == nil && last.revision.version == 1)
        }
    }

    @Test("It is taken shortly before the old date only, and an earlier date never is")
    func appliedInTime() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            #expect(try await prolong(service, staleIn: 3600))
            #expect(try await !prolong(service, staleIn: 5400))
            service.clock.advance(by: 3000)
            #expect(try await !prolong(service, staleIn: 3000))
            #expect(try await prolong(service, staleIn: 5400))
            #expect(try await !prolong(service, staleIn: 5400))
        }
    }

    @Test("Nothing is prolonged that nobody is shown")
    func shownToNobody() async throws {
        try await DispatchUnderTest.run { service in
            #expect(try await prolong(service, staleIn: 600))
            #expect(try await !prolong(service, staleIn: 1800))
            try await service.register(for: DispatchUnderTest.noor)
            #expect(try await !prolong(service, staleIn: 1800))
            try await service.register(DeviceID(rawValue: "tablet")!)
            #expect(try await prolong(service, staleIn: 1800))
        }
    }
}
