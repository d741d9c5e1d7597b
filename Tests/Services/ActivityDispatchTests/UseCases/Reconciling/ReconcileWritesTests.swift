import Foundation
import Testing

@testable import ActivityDispatch

@Suite("What reconciliations write")
struct ReconcileWritesTests {
    @Test("Of a card's events one is written, the newest, under the id of the first as its start")
    func newestEvent() throws {
        let activity = Activity(.shows(3))
        let device = Device.any("phone", .stream)
        var writes = ReconcileWrites()
        for id in [7, 8] {
            var card = Card.any(of: activity, on: device, .active, sent: .shows(1), startedAt: noon)
            if id == 8, let first = writes.events.first {
                card = Card(
                    id: first.push.card, activity: card.activity, device: card.device,
                    urgentPushes: card.urgentPushes)
            }
            let leased = card.lease(
                id == 7 ? .update(.high, alert: nil) : .start(alert: nil), activity.wanted, limits: .stream, now: noon)
            let push = try #require(leased)
            writes.append(.init(push: push, device: device.id, delivery: nil, id: id, startID: id, data: "\(id)"))
        }
        #expect(writes.events.map(\.id) == [8])
        #expect(writes.events.map(\.startID) == [7])
        #expect(writes.events.map(\.data) == ["8"])
    }
}
