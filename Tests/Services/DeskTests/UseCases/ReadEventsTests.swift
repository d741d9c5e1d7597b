import DeliverySamples
import DoorstepAPI
import Foundation
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import Desk

@Suite("The events of all deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReadEventsTests {
    @Test("Pages with the same filter share a read for a second, and a page with another filter has its own")
    func shared() async throws {
        try await DeskUnderTest.run { desk, _ in
            try desk.services.answer(
                "orders", "/v1/timeline", TimelinePageBody(rows: [], next: nil, until: SampleDeliveries.at(14)))
            let wall = Mutex(ContinuousClock.now)
            let read = ReadEvents(services: desk.client, clock: desk.clock) { wall.withLock { $0 } }
            @Sendable func ask(_ store: String?) async throws {
                let filter = EventFilter(
                    minutes: nil, store: store, courier: nil, kind: nil, reference: nil, delivery: nil, cursor: nil)
                _ = try await read(filter)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await ask(nil) } }
                try await group.waitForAll()
            }
            #expect(desk.services.takeSent().count == 1)
            try await ask("nordhavn")
            #expect(desk.services.takeSent().count == 1)
            wall.withLock { $0 += .seconds(1) }
            try await ask(nil)
            #expect(desk.services.takeSent().count == 1)
        }
    }
}
