import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ServiceRuntime
import SimulationSupport
import TestSupport
import Testing
import WireCoding

extension SystemTests {
    @Suite("Rotated keys")
    struct RotatedKeysScenario {
        /// A route of each service that every operator's token may read.
        private static let probes: [(service: ServiceName, path: String)] =
            ServiceName.messaging.map { ($0, "/v1/admin/dead-letters") } + [(.desk, "/v1/sessions")]

        @Test(
            "Keys of tokens and links are rotated while orders are placed and delivered, and no request is refused",
            .timeLimit(.minutes(4)))
        func underLoad() async throws {
            try await Simulation.run { simulation in
                let stack = simulation.stack
                // Each client of the simulation fails the test on an answer in the 400s.
                let ended = try await simulation.runDeliveries {
                    try await eventually("one is picking") { simulation.progress.count(.picking) > 0 }
                    try await rotateTokens(in: stack)
                    try await rotateLinks(in: stack)
                }
                try await simulation.expectEveryCardEnded(ended)
            }
        }

        private func rotate(_ kind: String, _ step: String, in stack: ProcessStack) async throws {
            try await stack.admin(["keys", "rotate", kind, step, "--directory", "\(stack.folder)/secrets"])
        }

        private func restart(_ services: [ServiceName], in stack: ProcessStack) async throws {
            for service in services {
                await stack.kill9(service)
                try await stack.start(service)
            }
        }

        /// An operator's token by a file of the stack's folder.
        private func token(by file: String, in stack: ProcessStack) async throws -> String {
            let signer = try await TokenSigner(kid: "doorstep-admin", file: "\(stack.folder)/secrets/\(file)")
            let now = Date()
            return try await signer.sign(
                Identity(subject: "ada", role: .operator, expiresAt: now.addingTimeInterval(3_600)), at: now)
        }

        /// Returns when every service trusts a token.
        private func isTrusted(_ token: String, in stack: ProcessStack) async throws {
            let client = RetryingClient(stack: stack, token: token)
            for (service, path) in Self.probes {
                try await eventually("\(service.rawValue) trusts it") {
                    try await client.once(.GET, service, path)?.status == 200
                }
            }
        }

        private func rotateTokens(in stack: ProcessStack) async throws {
            try await rotate("--tokens", "add", in: stack)
            // Every service trusts the new key before anything is signed by it.
            try await isTrusted(try await token(by: "admin.next.pem", in: stack), in: stack)
            try await rotate("--tokens", "sign", in: stack)
            try await restart([.orders, .desk], in: stack)
            for token in [try await token(by: "admin.pem", in: stack), stack.tokens.operator] {
                try await isTrusted(token, in: stack)
            }
            // A customer's token of the new key of orders.
            let issued = try await stack.asStore.send(
                .POST, .orders, "/v1/tokens",
                IssueTokenBody(customer: try #require(CustomerID(rawValue: "mette"))), as: TokenBody.self)
            let customer = RetryingClient(stack: stack, token: issued.token)
            #expect(try await customer.once(.GET, .orders, "/v1/orders")?.status == 200)
            let refused = try #require(try await customer.once(.GET, .dispatch, "/v1/admin/dead-letters"))
            #expect(refused.status != 401)
        }

        private func rotateLinks(in stack: ProcessStack) async throws {
            let orders: OrdersBody = try await stack.asStore.get(.orders, "/v1/orders")
            let delivery = try #require(orders.orders.first?.deliveries.first?.id)
            let former = try await link(to: delivery, in: stack)
            for step in ["add", "sign"] {
                try await rotate("--links", step, in: stack)
                try await restart([.orders], in: stack)
                #expect(await RetryingClient.probe(former) == 200, "\(step)")
            }
            let present = try await link(to: delivery, in: stack)
            #expect(present != former)
            #expect(await RetryingClient.probe(present) == 200)
        }

        /// The link that shows a delivery to a customer without an app.
        private func link(to delivery: DeliveryID, in stack: ProcessStack) async throws -> String {
            let data = try await stack.asStore.exchange(.POST, .orders, "/v1/deliveries/\(delivery)/view-link")
            return try WireJSON.decode(ViewLinkBody.self, from: data).url
        }
    }
}
