import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing

@testable import ActivityDispatch

@Suite("The fold of cards' totals")
struct CardTotalsFoldTests {
    private func fold(_ versions: [(app: String?, system: String?)]) throws -> CardTotalsFold {
        var fold = CardTotalsFold()
        for version in versions {
            let id = ActivityID(DeliveryID(UUID()), episode: 1)
            let activity = EndedActivityFacts(
                id: id, store: try #require(StoreID(rawValue: "nordhavn")), storeName: "Nordhavn",
                timeZone: "Europe/Copenhagen", endedAt: noon)
            let card = CardFacts(
                id: UUID(), activity: id, device: DispatchUnderTest.phone, appVersion: version.app,
                osVersion: version.system, transport: .apns, permission: .allowed, state: .active, startedAt: noon - 60,
                dismissedAt: nil, isReported: true)
            fold.add([activity], [card], [:])
        }
        return fold
    }

    @Test("The fifty versions of apps and thirty of iOS with the most cards are apart, whenever they came")
    func ranked() throws {
        let rare = (0..<80).map { number in (app: "1.\(number)" as String?, system: "9.\(number)" as String?) }
        let frequent = (0..<10).flatMap { number in
            Array(repeating: (app: "2.\(number)" as String?, system: "18.\(number)" as String?), count: 3)
        }
        let totals = try fold(rare + frequent + [(nil, nil)]).totals
        let (apps, systems) = (Set(totals.keys.map(\.appVersion)), Set(totals.keys.map(\.osVersion)))
        #expect(apps.count == 52 && apps.isSuperset(of: ["", "other"] + (0..<10).map { "2.\($0)" }))
        #expect(systems.count == 32 && systems.isSuperset(of: ["", "other"] + (0..<10).map { "18.\($0)" }))
        #expect(totals.values.reduce(0) { $0 + $1[.cards] } == 111)
    }

    @Test(
        "A version is numbers with points, and any other text is counted as other",
        arguments: [
            (nil, "", ""), ("4.2", "4.2", "4.2"), ("18.1.2", "18.1.2", "18.1"), ("1.2.3.4", "1.2.3.4", "1.2"),
            ("26", "26", "26"), ("4.2-beta", "other", "other"), ("mira@example.com", "other", "other"),
            ("12345", "other", "other"), ("1.2.3.4.5", "other", "other"), ("", "other", "other"),
            ("٤.٢", "other", "other"), ("4.2\n", "other", "other"),
        ] as [(String?, String, String)])
    func versions(text: String?, app: String, system: String) {
        #expect(CardTotalsFold.version(text, partsMax: 4) == app)
        #expect(CardTotalsFold.version(text, partsMax: 2) == system)
    }
}
