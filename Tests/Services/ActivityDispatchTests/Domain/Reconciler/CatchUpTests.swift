import Foundation
import LiveActivity
import PhoneRules
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("A start for a late reader")
struct CatchUpTests {
    @Test("A phone that never received the card accepts its newest push first as a start, then as it is")
    func startThenNewest() {
        var card = Card.any(of: Activity(.shows(2)), on: .any(), .active, sent: .shows(2), startedAt: noon)
        let end = Decision.end(dismissal: noon.epochSeconds + 900, becomes: .ended, alert: nil)
        let pushes = [
            card.lease(.update(.high, alert: nil), .shows(3), limits: .stream, now: noon + 5),
            card.lease(end, .ends(4, at: noon + 9), limits: .stream, now: noon + 9),
        ].compactMap(\.self)
        #expect(pushes.map(\.event) == [.update, .end])
        for push in pushes {
            let now = noon.epochSeconds + 60
            var phone = Phone(now: now)
            _ = phone.receive(push.payloadAsStart, card: "c", at: now)
            #expect(phone[card: "c"]?.content == push.wanted.content)
            #expect(phone.refusal(of: push.payload, card: "c") == nil)
        }
    }
}
