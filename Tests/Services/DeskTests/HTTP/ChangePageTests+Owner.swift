import DeliverySamples
import DomainTime
import DoorstepAPI
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

extension ChangePageTests {
    @Test("An ended delivery with a note is owned from a search's results, unless another operator was faster")
    func ownEnded() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([]))
            await desk.reader.read()
            let ended = SampleDeliveries.whole(SampleDeliveries.toEnRoute + [.status(.delivered, reason: nil)])
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([ended]))
            var triage = Triage.none
            (triage.note, triage.changedBy, triage.changedAt) = ("left at the gate", "bob", desk.clock.now)
            _ = try await TriageRepository.set(triage, of: ended.id, inPlaceOf: 0, on: desk.pool)
            let ada = try await desk.browser(client)
            let found = try await ada.get("/?q=A-1043").html
            let value = "\(ended.id) \(ended.version) triage=1"
            #expect(found.contains("value=\"\(value)\"") && desk.board.entry(of: ended.id) == nil)

            let owned = try await ada.post("/bulk", [("kind", "own"), ("delivery", value)])
            #expect(owned.0.status == .seeOther && owned.0.headers[.location] == "/?owner=me")
            let stored = try await TriageRepository.triage(of: [ended.id], on: desk.pool)
            #expect(stored[ended.id]?.owner?.subject == "ada" && stored[ended.id]?.note == "left at the gate")

            let bo = try await desk.browser(client, as: "bo")
            let late = try await bo.post("/bulk", [("kind", "own"), ("delivery", value)])
            #expect(late.0.status == .conflict && late.html.contains("\(ended.id.rawValue) by ada"))
        }
    }
}
