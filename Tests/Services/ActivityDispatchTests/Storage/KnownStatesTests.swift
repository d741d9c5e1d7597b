import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import ActivityDispatch

@Suite("States that are not decoded again", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct KnownStatesTests {
    @Test(
        "An activity of two customers in one batch is written for the one who has it, and for the other not",
        arguments: [true, false])
    func twoCustomers(isOwnerLast: Bool) async throws {
        try await DispatchUnderTest.run { service in
            let (delivery, other) = (DeliveryID(UUID()), try #require(CustomerID(rawValue: "ole")))
            try await service.show(1, of: delivery)
            func activity(_ version: Int, of customer: CustomerID) -> Activity {
                let step = { (id: String) in
                    ActivityStep.shows(
                        version, 0, activity: id, phase: .picking, startAt: 0, staleAt: 2_000_000_000, alert: nil)
                }
                return Activity(DispatchUnderTest.intent(step, of: delivery, for: customer), traceparent: nil)
            }
            let both = [activity(3, of: other), activity(2, of: DispatchUnderTest.mira)]
            let changes = try await service.pool.withTransaction {
                try await ActivityRepository.upsertWanted(isOwnerLast ? both : both.reversed(), at: noon, in: $0)
            }
            #expect(changes.map(\.customer) == [DispatchUnderTest.mira])
            #expect(changes.first?.live.map(\.wanted.content.revision.version) == [2])
        }
    }

    @Test("A summary that would only go stale later is on its card as it is stored")
    func unwrittenSummary() async throws {
        try await DispatchUnderTest.run { service in
            try await service.register()
            let deliveries = (0..<Summary.startsAt).map { _ in DeliveryID(UUID()) }
            for delivery in deliveries { try await service.show(1, of: delivery) }
            try await service.reconcile()
            let later = { (id: String) in
                ActivityStep.shows(2, 0, activity: id, phase: .picking, startAt: 0, staleAt: 2_000_000_900, alert: nil)
            }
            let activities = deliveries.map { Activity(DispatchUnderTest.intent(later, of: $0), traceparent: nil) }
            let devices = try await service.pool.withTransaction { transaction in
                let changes = try await ActivityRepository.upsertWanted(activities, at: noon, in: transaction)
                return try await service.fanOut.devices(
                    showing: changes, withOpenCards: true, at: noon, in: transaction)
            }
            let open = try #require(devices.flatMap(\.openCards).first { $0.activity.isSummary })
            let stored = try await ActivityRepository.cards(of: open.activity.id, on: service.pool)
            #expect(stored.map(\.card) == [open.stored.card] && open.stored.card.sent != nil)
        }
    }

    @Test("A card's state is as it was sent: the wanted one, another, or none")
    func sent() async throws {
        try await DispatchUnderTest.run { service in
            let phones = try ["phone-0", "phone-1", "phone-2"].map { try #require(DeviceID(rawValue: $0)) }
            for phone in phones { try await service.register(phone) }
            let delivery = DeliveryID(UUID())
            try await service.show(1, of: delivery)
            try await service.reconcile()
            try await service.show(2, of: delivery)
            try await service.pool.execute(
                "UPDATE cards SET sent = activities.wanted FROM activities WHERE device_id = \(phones[1])")
            try await service.pool.execute("UPDATE cards SET sent = NULL WHERE device_id = \(phones[2])")
            let open = try await service.pool.withTransaction {
                try await ActivityRepository.openCards(on: phones, in: $0)
            }
            for phone in phones {
                let stored = try await ActivityRepository.cards(on: phone, in: service.pool)
                #expect(stored.count == 1 && open[phone]?.map(\.stored.card) == stored.map(\.card))
            }
            let versions = phones.map { open[$0]?.first?.stored.card.sent?.content.revision.version }
            #expect(versions == [1, 2, nil])
        }
    }
}
