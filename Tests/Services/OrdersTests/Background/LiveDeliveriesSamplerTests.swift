import DomainTime
import DoorstepAPI
import HTTPTypes
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Sampling of live deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct LiveDeliveriesSamplerTests {
    @Test("The gauges have what the board counts, and go back to 0 with it")
    func gauges() async throws {
        try await OrdersUnderTest.run { orders, client in
            let metrics = MetricsRegistry()
            let sampler = LiveDeliveriesSampler(
                pool: orders.pool, clock: orders.clock.domain, metrics: metrics, logger: .silent)
            var placed: [DeliveryID] = []
            for number in 0..<3 {
                placed.append(
                    try await orders.place(client, try orders.body(reference: "G-\(number)")).deliveries[0].id)
            }
            for status in [StatusCode.accepted, .picking, .staged] { try await orders.set(status, placed[0], client) }
            try await orders.assign("mira", placed[1], client)
            try await sampler.sample()
            var text = metrics.exposition()
            #expect(text.contains("doorstep_deliveries_live{phase=\"received\"} 2\n"))
            #expect(text.contains("doorstep_deliveries_live{phase=\"packed\"} 1\n"))
            #expect(text.contains("doorstep_deliveries_live{phase=\"at_door\"} 0\n"))
            #expect(text.contains("doorstep_deliveries_unassigned{status=\"staged\"} 1\n"))
            #expect(text.contains("doorstep_deliveries_unassigned{status=\"placed\"} 1\n"))
            #expect(text.contains("doorstep_deliveries_late 0\n"))

            orders.clock.advance(by: 24 * 3_600)
            try await sampler.sample()
            let board = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada")
                .decode(BoardBody.self)
            #expect(board.counts.late == 3)
            #expect(metrics.exposition().contains("doorstep_deliveries_late 3\n"))

            for delivery in placed { try await orders.set(.cancelled, delivery, client) }
            try await sampler.sample()
            text = metrics.exposition()
            #expect(text.contains("doorstep_deliveries_late 0\n"))
            #expect(text.contains("doorstep_deliveries_live{phase=\"received\"} 0\n"))
            #expect(text.contains("doorstep_deliveries_unassigned{status=\"staged\"} 0\n"))
        }
    }
}
