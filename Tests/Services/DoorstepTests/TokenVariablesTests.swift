import ArgumentParser
import StackClient
import Testing

@testable import Doorstep

@Suite("Whose token a command sends")
struct TokenVariablesTests {
    @Test("A variable that is set to nothing names no token of the shop or of an operator")
    func empty() throws {
        let (shop, staff) = (TokenHolder.store.variable, TokenHolder.operator.variable)
        #expect(PartnersCaller(environment: [shop: "", staff: "file"]).holder == .operator)
        #expect(PartnersCaller(environment: [shop: "file", staff: ""]).holder == .store)
        let whose = try CourierPhones.parse(["--courier", "mira"]).whose
        #expect(whose.holder(environment: [staff: ""]) == .courier)
        #expect(whose.holder(environment: [staff: "file"]) == .operator)
    }
}
