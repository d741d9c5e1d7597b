import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import SimulationSupport
import TestSupport
import Testing
import WireCoding

extension SystemTests {
    @Suite("Followed on the command line")
    struct CommandLineScenario {
        /// What is killed, and when; a service is named, and the broker and Postgres are not services.
        private static let plan: [(when: StatusCode, service: ServiceName)] = [
            (.accepted, .dispatch), (.picking, .orders), (.staged, .courierETA), (.pickedUp, .dispatch),
        ]

        @Test(
            "A customer's track and an operator's list tell an order from placed to dismissed, whatever is killed",
            .timeLimit(.minutes(4)))
        func followed() async throws {
            try await Simulation.run([.init(customer: "mette", endings: [.delivered])]) { simulation in
                let stack = simulation.stack
                let lines = try await track("--json", in: stack)
                let sentences = try await track("--plain", in: stack)
                let list = try stack.startCommand(
                    ["ops", "list", "--watch", "--json"], named: "list", token: stack.tokens.operator,
                    as: "DOORSTEP_OPERATOR_TOKEN_FILE")
                let ended = try await simulation.runDeliveries { try await strike(simulation) }
                let delivery = try #require(ended.first).delivery.id
                #expect(await lines.wait() == .code(0), "\(lines.lines)")
                #expect(await sentences.wait() == .code(0), "\(sentences.lines)")
                try expectWhole(lines.lines, of: delivery)
                expectTold(sentences.lines)
                try await eventually("the list has nothing more", explain: { list.lines.suffix(3).joined() }) {
                    statuses(in: list.lines, of: delivery).last == .some(nil)
                }
                await list.interrupt()
                let seen = statuses(in: list.lines, of: delivery).compactMap(\.self)
                #expect(seen == seen.sorted { $0.rank < $1.rank } && seen.count > 1, "\(seen)")
            }
        }

        /// Follows the customer until every card has left the screen.
        private func track(_ form: String, in stack: ProcessStack) async throws -> StackCommand {
            try stack.startCommand(
                ["track", form, "--until-ended", "--device", "terminal\(form)"], named: "track\(form)",
                token: try await stack.tokens.customer("mette"), as: "DOORSTEP_CUSTOMER_TOKEN_FILE")
        }

        private func strike(_ simulation: Simulation) async throws {
            let stack = simulation.stack
            for (status, service) in Self.plan {
                try await eventually("it is \(status)") { simulation.progress.count(status) > 0 }
                await stack.kill9(service)
                try await stack.start(service)
            }
            await stack.kill9Nats()
            try await stack.startNats()
            try await stack.postgres.kill9()
            try await stack.postgres.restart()
        }

        // MARK: What was printed

        /// A line of `track --json`, as far as it is held against.
        private struct Line: Decodable {
            let event: CardEvent.Kind
            let delivery: String?
            let timestamp: Int
            let content: GroceryDeliveryAttributes.ContentState
        }

        /// Each change of the card once and in order, from the placed order to the dismissal.
        private func expectWhole(_ printed: [String], of delivery: DeliveryID) throws {
            let lines = try printed.filter { $0.hasPrefix("{") }.map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }.filter { $0.delivery == delivery.rawValue }
            #expect(lines.first?.event == .start)
            #expect(lines.last?.event == .dismissed)
            #expect(lines.count { $0.event == .start } == 1 && lines.count { $0.event == .end } == 1)
            // Which steps a screen skips depends on when what was killed.
            #expect(Set(lines.map(\.content.phase.rawValue)).count > 2 && lines.last?.content.phase == .ended)
            #expect(lines.last?.content.headline.code == StatusCode.delivered.rawValue)
            for (one, next) in zip(lines, lines.dropFirst()) {
                #expect(one.timestamp <= next.timestamp && one.content.revision <= next.content.revision)
            }
        }

        private func expectTold(_ sentences: [String]) {
            let card = "Nordhavn, order A-0: Delivered"
            #expect(sentences.contains { $0.hasPrefix(card) }, "\(sentences)")
            #expect(sentences.last?.hasPrefix("Off this screen: \(card)") == true, "\(sentences)")
        }

        /// The delivery's status on each list that was printed; nil where it is on it no more.
        private func statuses(in printed: [String], of delivery: DeliveryID) -> [StatusCode?] {
            printed.compactMap { try? WireJSON.decode(BoardBody.self, from: Data($0.utf8)) }
                .map { board in board.deliveries.first { $0.id == delivery }?.status }
                .drop { $0 == nil }.map(\.self)
        }
    }
}
