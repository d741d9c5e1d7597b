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
            run.run(leased: [], newID: { UUID() }) { _ in .taken() }
            #expect(run.pushes.isEmpty && run.payloadFaults.map(\.fault) == [.tooLarge])
            #expect(run.conditions[before.id] == .init(reason: .payloadTooLarge, isBehind: true))
            var after = run.cards[0].card
            #expect(after.unfit == .init(revision: .init(version: 2, step: 0), fault: .tooLarge))
            after.unfit = nil
            #expect(after == before && run.device.starts == starts)
            #expect(run.dueAt != noon + 60)
            // Looked at again: nothing is tried.
            run.run(leased: [], newID: { UUID() }) { _ in .taken() }
            #expect(run.pushes.isEmpty && run.payloadFaults.count == 1)
        }
    }

    @Test("What its writer says next is sent")
    func next() {
        var run = reconciliation(.shows(3, phase: .packed), .active, sent: .shows(1)) {
            $0.unfit = .init(revision: .init(version: 2, step: 0), fault: .tooLarge)
        }
        run.run(leased: [], newID: { UUID() }) { _ in .taken() }
        #expect(run.pushes.map(\.event) == [.update] && run.cards[0].card.unfit == nil)
    }

    @Test("What is no JSON is one of them")
    func unreadable() {
        var run = reconciliation(huge(2, progress: .nan, url: 10), .active, sent: .shows(1))
        run.run(leased: [], newID: { UUID() }) { _ in .taken() }
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
        run.run(leased: [], newID: { UUID() }) { _ in .taken() }
        let push = try #require(run.pushes.first)
        #expect(push.event == .end && push.dismissal == 0 && push.payload.aps.dismissalDate == 0)
        #expect(try push.payload.encoded().count < 1000)
        #expect(run.payloadFaults.map(\.fault) == [.tooLarge])
    }

    @Test("The attributes count as the card was started with, not as they would be now")
    func attributesAsStarted() throws {
        var run = reconciliation(.shows(1), .waiting)
        run.run(leased: [], newID: { UUID() }) { _ in .taken() }
        let start = try #require(run.pushes.first)
        let bytes = try #require(run.cards[0].card.attributesBytes)
        #expect(bytes == start.payload.aps.attributes?.encodedBytes)

        let update = huge(2, url: 3000)
        var fits = reconciliation(update, .active, sent: .shows(1)) { $0.attributesBytes = bytes }
        fits.run(leased: [], newID: { UUID() }) { _ in .taken() }
        #expect(fits.pushes.count == 1)
        var large = reconciliation(update, .active, sent: .shows(1)) { $0.attributesBytes = 1000 }
        large.run(leased: [], newID: { UUID() }) { _ in .taken() }
        #expect(large.pushes.isEmpty && large.payloadFaults.map(\.fault) == [.tooLarge])
    }
}
