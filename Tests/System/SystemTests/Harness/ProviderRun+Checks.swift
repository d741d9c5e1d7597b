import DeliveryProviders
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import SimulationSupport
import TestSupport
import Testing

/// What must hold once everything is posted, whatever faults the stack had.
extension ProviderRun {
    /// Expects that deliveries, timelines, screens and the shop's receiver come to have all that was posted, once.
    func expectEverythingArrived() async throws {
        var timelines: [TimelineBody] = []
        for delivery in deliveries { timelines.append(try await expectReports(of: delivery)) }
        var versions: [DeliveryID: Int] = [:]
        for delivery in deliveries { versions[delivery.id] = try await expectEnd(of: delivery) }
        for delivery in deliveries { try await expectCards(of: delivery) }
        await simulation.expectNoViolations()
        try await expectEvents(of: timelines, newest: versions)
        expectNoRepeats()
        expectNoDisclosure()
    }

    /// Expects that the timeline comes to have each report, once and with its source.
    private func expectReports(of delivery: ProviderDelivery) async throws -> TimelineBody {
        let wanted = try delivery.reports()
        var timeline: TimelineBody?
        // A message that a killed process had taken comes again after half a minute.
        try await eventually("\(delivery.customer)'s reports are in the timeline", within: 120) {
            let present: TimelineBody = try await client.get(.orders, "/v1/deliveries/\(delivery.id)/timeline")
            timeline = present
            return Set(wanted).isSubset(of: delivery.reports(in: present))
        }
        let found = try #require(timeline)
        #expect(delivery.reports(in: found) == wanted, "\(delivery.customer)")
        return found
    }

    /// Expects that the delivery is as its provider has it.
    ///
    /// - Returns: its version.
    private func expectEnd(of delivery: ProviderDelivery) async throws -> Int {
        let body: DeliveryBody = try await client.get(.orders, "/v1/deliveries/\(delivery.id)")
        #expect(body.status == .delivered, "\(delivery.customer)")
        #expect(body.endedAt == delivery.endsAt, "\(delivery.customer)")
        let courier = try #require(body.courier, "\(delivery.customer)")
        #expect(courier.id.rawValue.hasPrefix("\(delivery.account.provider.rawValue)-"), "\(courier.id)")
        #expect(courier.name == delivery.courierName, "\(delivery.customer)")
        return body.version
    }

    /// Expects one card on each device, which has ended as delivered.
    ///
    /// Its revision need not be the delivery's last: what is reported after the end explains how it came to it, and a
    /// card that has ended stays as it is.
    private func expectCards(of delivery: ProviderDelivery) async throws {
        for device in simulation.devices(of: delivery.customer) {
            try await eventually("\(device.id) shows the end", explain: { await simulation.screenLog }) {
                await device.screen.cards(of: delivery.id.rawValue).contains(where: \.hasEnded)
            }
            let cards = await device.screen.cards(of: delivery.id.rawValue)
            #expect(cards.count == 1, "\(cards.map(\.log))")
            let card = try #require(cards.first)
            let starts = card.pushes.count { $0.event == .start }
            #expect(starts == 1, "\(card.log)")
            let last = try #require(card.last)
            #expect(last.content.phase == .ended, "\(card.log)")
            #expect(last.content.headline.code == StatusCode.delivered.rawValue, "\(card.log)")
        }
    }

    // MARK: Events

    /// Expects that every event of the timelines came, those whose message the broker lost too.
    private func expectEvents(of timelines: [TimelineBody], newest: [DeliveryID: Int]) async throws {
        let wanted = timelines.reduce(into: Set<EventMark>()) { $0.formUnion($1.events) }
        var log: [EventDeliveryBody] = []
        // What a killed process was sending is leased by it for a minute.
        try await eventually(
            "every event is delivered", within: 150, explain: { await missing(of: wanted, newest: newest) }
        ) {
            log = try await endpoint.log()
            let marks = Set(receiver.accepted.values.map(\.mark))
            return log.allSatisfy { $0.state == .delivered } && wanted.isSubset(of: marks)
        }
        #expect(receiver.faults.isEmpty, "\(receiver.faults)")
        #expect(Set(log.map(\.event.rawValue)).isSubset(of: receiver.accepted.keys))
        let events = try receiver.events()
        for delivery in deliveries {
            let mine = events.filter { $0.data.id == delivery.id }
            let last = mine.filter { $0.data.version == newest[delivery.id] }
            #expect(last.allSatisfy { $0.data.status == .delivered }, "\(delivery.customer)")
            #expect(mine.contains { $0.type.status == .delivered }, "\(delivery.customer)")
        }
    }

    /// What has not come yet, and how the endpoint's events are, to explain a failure with.
    private func missing(of required: Set<EventMark>, newest: [DeliveryID: Int]) async -> String {
        let marks = Set(receiver.accepted.values.map(\.mark))
        let states = ((try? await endpoint.log()) ?? []).filter { $0.state != .delivered }
            .map { "\($0.event) \($0.state.rawValue) after \($0.attempts)" }
        return """
            missing: \(required.subtracting(marks).map(\.description).sorted())
            newest: \(newest)
            not delivered: \(states)
            """
    }

    /// Expects that no event came again after it was taken.
    ///
    /// Events come at least once: where partners is killed between the answer and the note of it, the event is sent
    /// again when its lease is over. So only what was taken about when partners was killed may have come again.
    private func expectNoRepeats() {
        let kills = record.killsOfPartners
        let repeats = receiver.repeats { acceptedAt in kills.contains { abs(($0 - acceptedAt) / .seconds(1)) <= 5 } }
        #expect(repeats.isEmpty, "\(repeats)")
    }

    /// Expects that nothing by which a customer can be reached or followed is in an event.
    private func expectNoDisclosure() {
        let words = [
            "/l/", #"\/l\/"#, "latitude", "longitude", "\"lat\"", "\"lng\"", "location", "phone", "+1415",
        ]
        for (event, accepted) in receiver.accepted {
            let text = String(decoding: accepted.body, as: UTF8.self)
            #expect(!words.contains { text.contains($0) }, "\(event): \(text)")
        }
    }
}
