import DoorstepAPI
import Foundation
import OrderDomain
import SimulationSupport
import TestSupport
import Testing
import WireCoding

extension SystemTests {
    @Suite("A customer's data are exported")
    struct ExportedCustomerScenario {
        /// A customer each, so that no request has the answer of a service that is killed for it.
        private static let rounds: [(customer: String, service: ServiceName)] = [
            ("mette", .dispatch), ("jonas", .courierETA), ("aya", .partners), ("nina", .desk),
        ]

        /// The part of an archive that the scenario counts.
        private struct Archive: Decodable {
            struct One: Decodable { let delivery: String }
            struct Push: Decodable { let card: String }

            let deliveries: [One]
            let timeline: [One]
            let pushes: [Push]
        }

        @Test(
            "While orders keep coming and every service is killed, an export and an erasure finish once each",
            .timeLimit(.minutes(5)))
        func exported() async throws {
            try await Simulation.run(Simulation.ten, rate: 120) { simulation in
                let stack = simulation.stack
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is under way") { simulation.progress.count(.pickedUp) >= 1 }
                    // Each other service is away once, and the one that owns the request is killed before it is back.
                    for (customer, service) in Self.rounds {
                        await stack.kill9(service)
                        let failure = await #expect(throws: ProcessStack.Broken.self) {
                            try await stack.admin(["customer", "export", customer, "--wait-seconds", "1"])
                        }
                        #expect(failure?.description.contains("\(service.rawValue): no") == true, "\(failure as Any)")
                        await stack.kill9(.orders)
                        for one in [ServiceName.orders, service] { try await stack.start(one) }
                        try await export(customer, of: [], in: stack)
                        try await eventually("all are placed") { simulation.progress.count(.accepted) >= 10 }
                    }
                }
                try await stack.postgres.execute(Self.isRepeated)
                let deliveries = ended.map(\.delivery)
                for customer in ["mette", "jonas"] {
                    // Those of the run are older than an hour of its clock, or are of deliveries that had not ended.
                    try await stack.postgres.execute("DELETE FROM orders.person_exports")
                    try await export(customer, of: deliveries, in: stack)
                }
                try await exportCourier(of: deliveries, in: stack)
                await stack.kill9(.dispatch)
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "erase", "mette", "--yes", "--wait-seconds", "2"])
                }
                await stack.kill9(.orders)
                for one in [ServiceName.orders, .dispatch] { try await stack.start(one) }
                try await stack.admin(["customer", "erase", "mette", "--yes"])
                try await stack.postgres.execute(Self.isLeft)
                await #expect(throws: ProcessStack.Broken.self) {
                    try await stack.admin(["customer", "export", "mette"])
                }
            }
        }

        /// Exports a customer, and fails unless the archive is valid and has each delivery of theirs once.
        private func export(_ customer: String, of deliveries: [DeliveryBody], in stack: ProcessStack) async throws {
            let text = try await stack.admin(["customer", "export", customer])
            #expect(try await ArchiveChecker.faults(of: Data(text.utf8)) == [])
            let archive = try WireJSON.decode(Archive.self, from: Data(text.utf8))
            let exported = archive.deliveries.map(\.delivery)
            #expect(Set(exported).count == exported.count && !exported.isEmpty)
            #expect(!archive.timeline.isEmpty)
            if !deliveries.isEmpty { #expect(!archive.pushes.isEmpty) }
            for delivery in deliveries {
                let isOwn = delivery.customer?.rawValue == customer
                #expect(exported.contains(delivery.id.rawValue) == isOwn)
                if !isOwn { #expect(!text.contains(delivery.id.rawValue)) }
            }
        }

        /// Exports a courier, and fails unless the archive is valid and has rides and positions, without order numbers.
        private func exportCourier(of deliveries: [DeliveryBody], in stack: ProcessStack) async throws {
            struct Ridden: Decodable {
                struct One: Decodable { let delivery: String }
                struct Position: Decodable { let at: Date }

                let rides: [One]
                let positions: [Position]
            }
            let text = try await stack.admin(["courier", "export", "courier-1"])
            #expect(try await ArchiveChecker.faults(of: Data(text.utf8)) == [])
            let archive = try WireJSON.decode(Ridden.self, from: Data(text.utf8))
            let rides = archive.rides.map(\.delivery)
            #expect(!rides.isEmpty && Set(rides).isSubset(of: deliveries.map(\.id.rawValue)))
            #expect(!archive.positions.isEmpty)
            for delivery in deliveries { #expect(!text.contains(delivery.reference), "\(delivery.reference)") }
        }

        /// Fails unless each round has made one request, and that is finished.
        private static let isRepeated = """
            DO $$
            BEGIN
                IF (SELECT count(*) FROM orders.person_exports) <> \(rounds.count)
                    OR (SELECT count(DISTINCT customer_id) FROM orders.person_exports
                        WHERE finished_at IS NOT NULL) <> \(rounds.count)
                THEN RAISE EXCEPTION 'a request is left, or was made twice'; END IF;
            END $$
            """

        /// Fails where an export of the erased customer is left, or one is not finished, or one erasure not once.
        private static let isLeft = """
            DO $$
            BEGIN
                IF EXISTS (SELECT FROM orders.person_exports WHERE customer_id = 'mette' OR finished_at IS NULL)
                    OR (SELECT count(*) FROM orders.person_requests WHERE finished_at IS NOT NULL) <> 1
                THEN RAISE EXCEPTION 'a request is left'; END IF;
            END $$
            """
    }
}
