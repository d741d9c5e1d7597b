import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Customers' tokens that shops fetch", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct IssueTokenTests {
    private static let mette = CustomerID(rawValue: "mette").unsafelyUnwrapped

    @Test(
        "A token is good for as long as the shop asked, and for an hour where it asked for no time",
        arguments: [(60, 60), (nil, 3_600)] as [(Int?, Double)])
    func lifetime(asked: Int?, seconds: Double) async throws {
        let now = OrdersUnderTest.start
        let pair = TokenKeyPair.generate(kid: "test")
        let issue = IssueToken(
            signer: try await TokenSigner(kid: pair.kid, privateKeyPEM: pair.privateKeyPEM), wallNow: { now },
            makeUUID: { UUID() })
        let shop = Identity(subject: "nordhavn", role: .store, expiresAt: now.addingTimeInterval(600))
        let issued = try await issue(IssueTokenBody(customer: Self.mette, lifetimeSeconds: asked), for: shop)
        #expect(issued.expiresAt == now.addingTimeInterval(seconds))
        let keys = try await TokenKeys([pair.entry(roles: [.customer])])
        #expect(try await keys.verify(issued.token, at: now).expiresAt == now.addingTimeInterval(seconds))
    }

    @Test("A lifetime is a minute to a day")
    func lifetimes() async throws {
        try await OrdersUnderTest.run { orders, client in
            func issue(_ seconds: Int) async throws -> TestResponse {
                try await orders.send(
                    client, .post, "/v1/tokens", as: .store, "nordhavn",
                    IssueTokenBody(customer: Self.mette, lifetimeSeconds: seconds))
            }
            for seconds in [60, 86_400] { #expect(try await issue(seconds).status == .created, "\(seconds)") }
            for seconds in [59, 86_401] {
                let refused = try await issue(seconds)
                #expect(refused.status == .badRequest, "\(seconds)")
                #expect(try refused.problem().errors?.map(\.path) == ["lifetimeSeconds"])
            }
        }
    }
}
