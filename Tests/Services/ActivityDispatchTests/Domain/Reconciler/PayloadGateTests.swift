import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("Payloads that no phone could take")
struct PayloadGateTests {
    private func reconciliation(
        _ wanted: ActivityStep, _ state: Card.State, sent: ActivityStep? = nil, on transport: Device.Transport = .apns,
        change: (inout Card) -> Void = { _ in }
    ) -> DeviceReconciliation {
        let device = Device.any("phone", transport)
        let activity = Activity(wanted)
        var card = Card.any(of: activity, on: device, state, sent: sent, startedAt: state == .active ? noon : nil)
        change(&card)
        return DeviceReconciliation(
            device: device, cards: [ActivityCard(activity: activity, card: card)], limits: .of(device), now: noon + 60)
    }

    /// A state whose links alone are larger than a push may be.
    private func huge(_ version: Int, progress: Double = 0, url: Int = 5000) -> ActivityStep {
        guard case .show(let shown) = ActivityStep.shows(version, phase: .packed) else { return .shows(version) }
        var content = shown.content
        content.progress = progress
        content.buttons = [CardButton(verb: "details", title: "", url: String(repeating: "x", count: url))]
        return .show(
            ShownActivity(
                attributes: shown.attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 0, alert: nil)
        )
    }

    @Test(
        "They are not sent, cost nothing, are said and counted once, and never loop",
        arguments: [Device.Transport.apns, .stream])
    func refused(transport: Device.Transport) throws {
        for state in [Card.State.waiting, .active] {
            var run = reconciliation(huge(2), state, sent: state == .active ? .shows(1) : nil, on: transport)
            let before = run.cards[0].card
            let starts = run.device.starts
            run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
            #expect(run.pushes.isEmpty && run.payloadFaults.map(\.fault) == [.tooLarge])
            #expect(run.reasons[before.id] == .payloadTooLarge && Decision.Reason.payloadTooLarge.isBehind)
            var after = run.cards[0].card
            #expect(after.rejected == .init(revision: .init(version: 2, step: 0), fault: .tooLarge))
            after.rejected = nil
            #expect(after == before && run.device.starts == starts)
            #expect(run.dueAt != noon + 60)
            // Looked at again: nothing is tried.
            run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
            #expect(run.pushes.isEmpty && run.payloadFaults.count == 1)
        }
    }

    @Test("What its writer says next is sent")
    func next() {
        var run = reconciliation(.shows(3, phase: .packed), .active, sent: .shows(1)) {
            $0.rejected = .init(revision: .init(version: 2, step: 0), fault: .tooLarge)
        }
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.pushes.map(\.event) == [.update] && run.cards[0].card.rejected == nil)
    }

    @Test("What is no JSON is one of them")
    func unreadable() {
        var run = reconciliation(huge(2, progress: .nan, url: 10), .active, sent: .shows(1))
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.payloadFaults.map(\.fault) == [.unreadable] && run.pushes.isEmpty)
    }

    @Test("An end goes without its content, at once")
    func end() throws {
        guard case .ended(let ended) = ActivityStep.ends(2, at: noon) else { return }
        var content = ended.content
        content.buttons = [CardButton(verb: "details", title: "", url: String(repeating: "x", count: 5000))]
        let end = ActivityStep.ended(
            EndedActivity(
                attributes: ended.attributes, content: content, endedAt: ended.endedAt, dismissal: ended.dismissal,
                alert: nil))
        var run = reconciliation(end, .active, sent: .shows(1))
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        let push = try #require(run.pushes.first)
        #expect(push.event == .end && push.dismissal == 0 && push.payload.aps.dismissalDate == 0)
        let bytes = try #require(push.checkedBytes)
        #expect(try bytes == push.payload.encoded() && bytes.count < 1000)
        #expect(run.payloadFaults.map(\.fault) == [.tooLarge])
    }

    @Test("An end of a state that is no JSON, or beside attributes that leave no room, has its bytes too")
    func anyEnd() throws {
        for (progress, attributes) in [(Double.nan, 100), (0, 5000)] {
            let wanted = huge(2, progress: progress, url: 10)
            var run = reconciliation(wanted, .active, sent: .shows(1)) {
                $0.mustEnd = true
                $0.attributesBytes = attributes
            }
            run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
            #expect(run.pushes.map(\.event) == [.end] && run.pushes.first?.checkedBytes != nil)
            #expect(run.payloadFaults.isEmpty)
        }
    }

    /// A state with long names, and a store's name of so many bytes.
    private func named(store: String) throws -> ActivityStep {
        guard case .show(let shown) = ActivityStep.shows(2, phase: .packed) else { throw CancellationError() }
        let known = shown.attributes
        let attributes = GroceryDeliveryAttributes(
            activity: known.activity, delivery: known.delivery, reference: known.reference, store: store,
            bag: known.bag, itemCount: known.itemCount, promise: known.promise, timeZone: known.timeZone)
        var content = shown.content
        let names = (1...14).map { ("name\($0)", String(repeating: "𠜎", count: 60)) }
        content.headline = Phrase(code: "unheard_of", values: Dictionary(uniqueKeysWithValues: names), text: "")
        return .show(
            ShownActivity(
                attributes: attributes, content: content, startAt: 0, staleAt: farAhead, relevance: 0, alert: nil))
    }

    @Test("An update of a card whose attributes are not known is shortened until it fits beside the wanted ones")
    func unknownAttributes() throws {
        let step = try named(store: String(repeating: "w", count: 2000))
        var run = reconciliation(step, .active, sent: .shows(1))
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        let push = try #require(run.pushes.first)
        #expect(push.event == .update && run.payloadFaults.isEmpty)
        #expect(step.attributes.encodedBytes + push.payload.aps.contentState.encodedBytes <= 4096)
        #expect(push.payload.aps.contentState.headline.values["name1"]?.isEmpty == false)
    }

    @Test("Beside attributes that no phone can have, an update fits beside those of a start")
    func impossibleAttributes() throws {
        let step = try named(store: String(repeating: "w", count: 5000))
        var run = reconciliation(step, .active, sent: .shows(1))
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(run.pushes.map(\.event) == [.update] && run.payloadFaults.isEmpty)
        #expect(run.pushes.first?.checkedBytes != nil)
    }

    @Test("The attributes count as the card was started with, not as they would be now")
    func attributesAsStarted() throws {
        var run = reconciliation(.shows(1), .waiting)
        run.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        let start = try #require(run.pushes.first)
        let bytes = try #require(run.cards[0].card.attributesBytes)
        #expect(bytes == start.payload.aps.attributes?.encodedBytes)

        let update = huge(2, url: 3000)
        var fits = reconciliation(update, .active, sent: .shows(1)) { $0.attributesBytes = bytes }
        fits.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(fits.pushes.count == 1)
        var large = reconciliation(update, .active, sent: .shows(1)) { $0.attributesBytes = 1000 }
        large.run(leased: [], newID: { UUID() }) { _ in .accepted() }
        #expect(large.pushes.isEmpty && large.payloadFaults.map(\.fault) == [.tooLarge])
    }
}
