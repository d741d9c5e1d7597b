import OrderDomain
import SeededRandom
import Testing

@testable import Orders

@Suite("The proofs that stores require by default")
struct ProofRulesTests {
    private func store(_ id: String) throws -> StoreID { try #require(StoreID(rawValue: id)) }

    @Test("A store's own rule replaces that of all stores, and rules of classes add up")
    func rules() throws {
        let rules = try #require(ProofRules("*=photo; nordhavn = pin ;*/alcohol=age; nordhavn/alcohol=signature+pin;"))
        #expect(try rules.ofOrder(at: store("nordhavn")) == [.pin])
        #expect(try rules.ofOrder(at: store("valby")) == [.photo])
        #expect(try rules.ofItem(class: "alcohol", at: store("nordhavn")) == [.age, .signature, .pin])
        #expect(try rules.ofItem(class: "alcohol", at: store("valby")) == [.age])
        #expect(try rules.ofItem(class: "dairy", at: store("valby")) == [])
        #expect(try ProofRules().ofOrder(at: store("valby")) == [])
    }

    @Test(
        "What is no list of rules is refused",
        arguments: [
            "nordhavn", "nordhavn=", "nordhavn=pin+", "nordhavn=passport", "nordhavn=pin; nordhavn=age", "/alcohol=age",
            "nordhavn/Alcohol=age", "a/b/c=pin", "nordhavn=pin=age", "nord havn!=pin",
        ])
    func faults(text: String) { #expect(ProofRules(text) == nil) }

    @Test("A customer's PIN is four digits, each as likely, and never in its own description")
    func pins() throws {
        var random = SeededGenerator(seed: 5)
        var counts = [Character: Int]()
        for _ in 0..<2_000 {
            let pin = CustomerPIN.make(using: &random)
            #expect(pin.digits.count == 4 && CustomerPIN(pin.digits) == pin)
            for digit in pin.digits { counts[digit, default: 0] += 1 }
        }
        #expect(counts.count == 10 && counts.values.allSatisfy { (600...1_000).contains($0) })
        let pin = try #require(CustomerPIN(" 0417 "))
        #expect(pin.digits == "0417" && !"\(pin)".contains("0417") && !String(reflecting: pin).contains("0417"))
        let other = try #require(CustomerPIN("0418"))
        #expect(pin.isSame(as: pin) && !pin.isSame(as: other))
        for text in ["", "417", "04170", "04l7", "٠٤١٧", "-417"] { #expect(CustomerPIN(text) == nil, "\(text)") }
    }
}
