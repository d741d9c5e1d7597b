import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

/// What pages show and say while `activity-dispatch` does not answer, and when it does again.
extension PageStreamTests {
    @Test("With the broker away an open page shows what orders knows where that is newer, and says that it may be old")
    func unanswered() async throws {
        try await withOpenPage { open in
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 12, version: 1), of: open.delivery)
            let before = try #require(try await open.stream.next()?.first?.data)
            #expect(before.contains("12 min") && !before.contains("may have changed"))
            open.orders.wanted.goAway()
            try await open.orders.comparison.compare()
            let after = try #require(try await open.stream.next()?.first?.data)
            #expect(!after.contains("12 min") && after.contains("may have changed"))
        }
    }

    @Test("Without an answer of activity-dispatch a page shows what orders knows, and that it may be old")
    func away() async throws {
        try await withOpenPage { open in
            open.orders.wanted.goAway()
            let card = try #require(try await open.stream.next()?.first?.data)
            #expect(card.contains("Mira has your groceries"))
            #expect(card.contains("the time of arrival may have changed"))
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 8), of: open.delivery)
            try await open.orders.comparison.compare()
            let healed = try #require(try await open.stream.next()?.first?.data)
            #expect(healed.contains("8 min") && !healed.contains("may have changed"))
        }
    }

    @Test("A page announces that the promise was moved, and not the stops before the customer")
    func announcement() async throws {
        try await withOpenPage { open in
            let wanted = try await open.wanted(step: 1, minutes: 12)
            var content = wanted.step.content
            content.detail = Phrase(
                code: "rescheduled+stops_before", values: ["stops": "2"],
                text: "Moved to a new time · 2 stops before you")
            open.orders.wanted.set(
                WantedCards.Card(
                    delivery: open.delivery, activity: wanted.activity, step: wanted.step.with(content), at: wanted.at),
                of: open.delivery)
            let card = try #require(try await open.stream.next()?.first?.data)
            #expect(card.contains("data-announcement=\"Mira has your groceries. Moved to a new time\""), "\(card)")
            #expect(card.contains("Moved to a new time · 2 stops before you"))
        }
    }

    @Test("When intents are followed again a page says at once that nothing may be old, though its card is the same")
    func followedAgain() async throws {
        try await withOpenPage { open in
            let wanted = try await open.wanted(step: 1, minutes: 12)
            open.orders.wanted.set(wanted, of: open.delivery)
            _ = try await open.stream.next()
            open.orders.wanted.goAway()
            try await open.orders.comparison.compare()
            let old = try #require(try await open.stream.next()?.first?.data)
            #expect(old.contains("may have changed"))
            let signal = open.stream.slot.signal
            // What the comparison woke; a heartbeat is behind whatever else there is.
            signal.heartbeat()
            if await signal.next() == .events { _ = signal.takeHeartbeat() }
            open.orders.wanted.set(wanted, of: open.delivery)
            await open.orders.cards.askAgain(of: try await open.record().delivery.customer)
            signal.heartbeat()
            #expect(await signal.next() == .events)
            let card = try #require(try await open.stream.next()?.first?.data)
            #expect(!card.contains("may have changed"))
        }
    }

    @Test("Where somebody else's question was not answered, the next comparison has open pages say so")
    func unansweredElsewhere() async throws {
        try await withOpenPage { open in
            open.orders.wanted.set(try await open.wanted(step: 1, minutes: 12), of: open.delivery)
            _ = try await open.stream.next()
            open.orders.wanted.goAway()
            #expect(await open.orders.cards.card(of: DeliveryID(UUID())).isFollowed == false)
            try await open.orders.comparison.compare()
            let signal = open.stream.slot.signal
            // A heartbeat is behind whatever else there is.
            signal.heartbeat()
            #expect(await signal.next() == .events)
            let card = try #require(try await open.stream.next()?.first?.data)
            #expect(card.contains("12 min") && card.contains("may have changed"))
            // Once is enough.
            try await open.orders.comparison.compare()
            signal.heartbeat()
            #expect(await signal.next() == .heartbeat)
        }
    }
}
