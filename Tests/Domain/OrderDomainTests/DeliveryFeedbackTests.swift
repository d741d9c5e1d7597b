import Foundation
import OrderDomain
import Testing

@Suite("The customer's word after the end")
struct DeliveryFeedbackTests {
    private static let problems = DeliveryFeedback.Kind.allCases.filter(\.isProblem)

    private func delivered() throws -> Delivery { try delivery(in: .handedOver(.delivered)) }

    @Test("A problem disputes the end with its items, and reverses nothing", arguments: problems)
    func problem(kind: DeliveryFeedback.Kind) throws {
        var delivery = try delivered()
        let before = delivery
        #expect(try delivery.apply(.feedback(kind, items: [eggs, milk, eggs]), at: minutes(9)))
        let feedback = try #require(delivery.feedback)
        #expect(feedback.kind == kind && feedback.items == [milk, eggs] && feedback.at == minutes(9))
        #expect(delivery.disputedAt == minutes(9) && delivery.flags == before.flags.union([.disputed]))
        #expect(delivery.reason == "customer: \(kind.words): Milk, Eggs")
        #expect(delivery.status == before.status && delivery.endedAt == before.endedAt)
        #expect(delivery.episode == before.episode && delivery.version == before.version + 1)
        #expect(DeliveryReversal(from: before, to: delivery)(delivery) == before)
        #expect(OperatorNeed(delivery.status, flags: delivery.flags, hasOpenDispute: true) == .disputed)
    }

    @Test("What is all right needs nobody")
    func allRight() throws {
        var delivery = try delivered()
        let before = delivery
        #expect(try delivery.apply(.feedback(.allRight, items: [milk]), at: minutes(9)))
        #expect(delivery.feedback?.kind == .allRight && delivery.feedback?.items == [])
        #expect(delivery.disputedAt == nil && delivery.flags == before.flags && delivery.reason == before.reason)
    }

    @Test("The same answer twice is one, and another replaces it")
    func changed() throws {
        var delivery = try delivered()
        #expect(try delivery.apply(.feedback(.missing, items: [milk]), at: minutes(9)))
        let first = delivery
        #expect(try !delivery.apply(.feedback(.missing, items: [milk]), at: minutes(10)))
        #expect(delivery == first)
        #expect(try delivery.apply(.feedback(.damaged, items: []), at: minutes(11)))
        #expect(delivery.feedback?.kind == .damaged && delivery.reason == "customer: damaged")
        #expect(delivery.disputedAt == minutes(9), "it is disputed since the first problem")
        #expect(try delivery.apply(.feedback(.allRight, items: []), at: minutes(12)))
        #expect(delivery.disputedAt == nil && !delivery.flags.contains(.disputed) && delivery.reason == nil)
        #expect(try delivery.apply(.feedback(.notMine, items: []), at: minutes(13)))
        #expect(delivery.disputedAt == minutes(13))
    }

    @Test("A courier's own dispute stays, whatever the customer answers")
    func courierDispute() throws {
        var delivery = try delivered()
        _ = try delivery.apply(.dispute(reason: "courier: the wrong door"), at: minutes(5))
        _ = try delivery.apply(.feedback(.notHere, items: []), at: minutes(9))
        #expect(delivery.disputedAt == minutes(5) && delivery.feedback?.opensDispute == false)
        #expect(delivery.reason == "courier: the wrong door")
        _ = try delivery.apply(.feedback(.allRight, items: []), at: minutes(10))
        #expect(delivery.disputedAt == minutes(5) && delivery.flags.contains(.disputed))
    }

    @Test("An operator's decision settles it, and no answer changes it then")
    func settled() throws {
        var delivery = try delivered()
        _ = try delivery.apply(.feedback(.missing, items: [milk]), at: minutes(9))
        for code in [StatusCode.delivered, .failed] {
            var decided = delivery
            #expect(try decided.apply(.override(code, reason: "refunded"), at: minutes(20)))
            #expect(decided.feedback?.settledAt == minutes(20) && decided.disputedAt == nil)
            #expect(decided.reason == "refunded" && !decided.acceptsFeedback(at: minutes(21)))
            #expect(throws: ChangeRefusal.self) {
                try decided.apply(.feedback(.allRight, items: []), at: minutes(21))
            }
        }
        var repeated = delivery
        _ = try repeated.apply(.override(.delivered, reason: "refunded"), at: minutes(20))
        #expect(try !repeated.apply(.feedback(.missing, items: [milk]), at: minutes(21)), "a repeat changes nothing")
        #expect(try delivery.apply(.override(.enRoute, reason: "it is on its way"), at: minutes(20)))
        #expect(delivery.feedback == nil, "another episode has another answer")
    }

    @Test("It is about what was delivered, about its own items, and within twelve hours")
    func refused() throws {
        for status in DeliveryStatus.all where status != .handedOver(.delivered) {
            var other = try OrderDomainTests.delivery(in: status)
            #expect(throws: ChangeRefusal.notDelivered(status.code)) {
                try other.apply(.feedback(.allRight, items: []), at: minutes(1))
            }
        }
        var delivery = try delivered()
        #expect(throws: ChangeRefusal.unknownItem(itemID("bread"), known: [milk, eggs])) {
            try delivery.apply(.feedback(.missing, items: [itemID("bread")]), at: minutes(1))
        }
        let endedAt = try #require(delivery.endedAt)
        let last = endedAt.addingTimeInterval(DeliveryFeedback.windowSeconds)
        #expect(delivery.acceptsFeedback(at: last) && !delivery.acceptsFeedback(at: last.addingTimeInterval(1)))
        #expect(throws: ChangeRefusal.self) {
            try delivery.apply(.feedback(.missing, items: []), at: last.addingTimeInterval(1))
        }
        #expect(try delivery.apply(.feedback(.missing, items: []), at: last))
    }

    @Test("A text for operators names the first items and counts the rest")
    func text() {
        #expect(DeliveryFeedback.Kind.notHere.text(naming: []) == "not there")
        #expect(DeliveryFeedback.Kind.missing.text(naming: ["Milk"]) == "missing: Milk")
        let long = String(repeating: "x", count: 100)
        #expect(
            DeliveryFeedback.Kind.damaged.text(naming: ["A", long, "C", "D", "E"])
                == "damaged: A, \(long.prefix(60)), C, 2 more")
    }
}
