import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@Suite("Whose a thing is")
struct PrincipalTests {
    static let mette = CustomerID(rawValue: "mette")!
    static let mira = CourierID(rawValue: "mira")!
    static let nordhavn = StoreID(rawValue: "nordhavn")!
    static let valby = StoreID(rawValue: "valby")!
    static let delivery = DeliveryID(UUID())

    static let bag = Ownership(customer: mette, store: nordhavn, delivery: delivery, courier: mira)
    static let summary = Ownership(customer: mette, store: nil, delivery: nil)

    static let scopes: [(TokenScope, bag: Bool, summary: Bool)] = [
        (TokenScope(), true, true),
        (TokenScope(store: nordhavn), true, false),
        (TokenScope(store: valby), false, false),
        (TokenScope(delivery: delivery), true, false),
        (TokenScope(delivery: DeliveryID(UUID())), false, false),
        (TokenScope(store: nordhavn, delivery: delivery), true, false),
        (TokenScope(store: valby, delivery: delivery), false, false),
    ]

    @Test("A scope holds for every role alike", arguments: scopes)
    func scope(_ scope: TokenScope, seesBag: Bool, seesSummary: Bool) {
        let subjects: [Principal.Subject] = [
            .customer(Self.mette), .store("shop"), .operator("ada"), .system("timer"),
        ]
        for subject in subjects {
            #expect(Principal(subject, scope: scope).sees(Self.bag) == seesBag, "\(subject)")
            #expect(Principal(subject, scope: scope).sees(Self.summary) == seesSummary, "\(subject)")
        }
        #expect(Principal(.courier(Self.mira), scope: scope).sees(Self.bag) == seesBag)
    }

    @Test("A customer and a courier see their own alone")
    func others() {
        #expect(!Principal(.customer(CustomerID(rawValue: "ole")!)).sees(Self.bag))
        #expect(!Principal(.courier(CourierID(rawValue: "noah")!)).sees(Self.bag))
        #expect(!Principal(.courier(Self.mira)).sees(Self.summary))
    }

    @Test(
        "A scope is the widest that the claim names",
        arguments: [
            ("viewer", OperatorScope.viewer), ("dispatcher viewer", .dispatcher), ("openid supervisor", .supervisor),
            ("Supervisor", nil), ("", nil),
        ] as [(String, OperatorScope?)])
    func claim(_ claim: String, scope: OperatorScope?) { #expect(OperatorScope(claim: claim) == scope) }

    @Test("Each scope includes those before it; without one an operator may everything, and others are not asked")
    func operators() {
        for (index, scope) in OperatorScope.allCases.enumerated() {
            let principal = Principal(.operator("ada"), scope: TokenScope(operator: scope))
            #expect(OperatorScope.allCases.filter(principal.may) == Array(OperatorScope.allCases.prefix(index + 1)))
        }
        #expect(Principal(.operator("ada")).may(.supervisor) && Principal(.store("shop")).may(.supervisor))
    }
}
