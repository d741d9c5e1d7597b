import CommandLineTestSupport
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("Which delivery is meant")
struct FindTests {
    private static func references(_ choice: DeliveryChoice) -> [String] {
        switch choice {
        case .one(let row): [row.reference]
        case .several(let rows): ["several"] + rows.map(\.reference)
        case .none: []
        }
    }

    private static func choose(_ rows: [BoardBody.Row], _ text: String) -> [String] {
        references(DeliveryChoice(rows, for: text, now: SampleBoard.now))
    }

    @Test("Of a customer with one live delivery that one is meant, however many have ended")
    func live() throws {
        let rows = try [
            SampleBoard.row(reference: "live"), SampleBoard.row(reference: "just now", endedAfter: -10),
            SampleBoard.row(reference: "last week", endedAfter: -10_000),
        ]
        #expect(Self.choose(rows, "mette") == ["live"])
    }

    @Test("Where all have ended, what may still be on a screen is meant")
    func ended() throws {
        let recent = try SampleBoard.row(reference: "just now", endedAfter: -10)
        let old = try (1...3).map { try SampleBoard.row(reference: "old \($0)", endedAfter: -10_000) }
        #expect(Self.choose([recent] + old, "mette") == ["just now"])
        #expect(Self.choose(old, "mette") == ["several", "old 1", "old 2", "old 3"])
        #expect(Self.choose([old[0]], "mette") == ["old 1"])
        #expect(Self.choose([], "mette") == [])
        let handedOver = try SampleBoard.row(reference: "five hours ago", status: .delivered, endedAfter: -300)
        #expect(Self.choose([recent, handedOver], "mette") == ["several", "just now", "five hours ago"])
        let others = try [
            SampleBoard.row(reference: "returned", status: .returned, endedAfter: -300),
            SampleBoard.row(reference: "yesterday", status: .delivered, endedAfter: -961),
        ]
        #expect(Self.choose([recent] + others, "mette") == ["just now"])
    }

    @Test("An order's reference means all its live bags where they have one promise")
    func bags() throws {
        let bags = try (1...2).map { _ in try SampleBoard.row(reference: "G-1") }
        #expect(bags.areBags(of: "g-1"))
        #expect(!bags.areBags(of: "mette"), "a customer's name is no order's")
        #expect(!(bags + [try SampleBoard.row(reference: "G-1", promised: 60)]).areBags(of: "G-1"))
        #expect(!(bags + [try SampleBoard.row(reference: "G-12")]).areBags(of: "G-1"))
        #expect(!(bags + [try SampleBoard.row(reference: "G-1", endedAfter: -10)]).areBags(of: "G-1"))
    }

    @Test("A whole name is meant before one that begins with it, in any case")
    func whole() throws {
        let rows = try [
            SampleBoard.row(reference: "G-12", customer: "mettelise"),
            SampleBoard.row(reference: "G-1", customer: "ole"),
            SampleBoard.row(reference: "G-3", customer: "mette"),
            SampleBoard.row(reference: "G-4", customer: "ida", courier: "Mette"),
        ]
        #expect(Self.choose(rows, "g-1") == ["G-1"])
        #expect(Self.choose(rows, "METTE") == ["several", "G-3", "G-4"])
        #expect(Self.choose(Array(rows.prefix(3)), "Mette") == ["G-3"])
    }

    @Test("Several are listed with the shortest beginning that tells each from the others, worst first")
    func table() throws {
        let rows = try [
            SampleBoard.row(
                id: "3f2a91c0-0000-4000-8000-000000000001", reference: "A-1043", courier: "Mira", risk: .late,
                lateMinutes: 12, promised: -2),
            SampleBoard.row(
                id: "3f2a91c7-0000-4000-8000-000000000002", reference: "A-1044", status: .picking,
                courierStatus: .unassigned, promised: 24 * 60),
        ]
        let found = FoundDeliveries(rows, for: "met\u{1B}te", now: SampleBoard.now)
        try expectGolden(found.text + "\n", "ops/found-several.txt")
        let many = try (1...13).map { try SampleBoard.row(reference: "A-\($0)") }
        #expect(FoundDeliveries(many, for: "mette", now: SampleBoard.now).text.contains("… and 3 more;"))
        let cut = FoundDeliveries(many, hasMore: true, for: "mette", now: SampleBoard.now).text
        #expect(cut.contains("is 13 deliveries or more;") && cut.contains("… and 3 or more others;"))
    }

    @Test("A short id is unique and has six characters at least")
    func shortIDs() throws {
        let texts = [
            "3f2a91c0-0000-4000-8000-000000000001", "3f2a91c0-0000-4000-8000-0000000000ff",
            "3f2a91d0-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000001",
        ]
        let ids = try texts.map { try #require(DeliveryID(rawValue: $0)) }
        let short = ids.map { ShortIDs(ids).beginning(of: $0) }
        #expect(
            short == [
                "3f2a91c0-0000-4000-8000-00000000000", "3f2a91c0-0000-4000-8000-0000000000f", "3f2a91d", "aaaaaa",
            ])
        for (text, beginning) in zip(texts, short) {
            #expect(texts.filter { $0.hasPrefix(beginning) } == [text])
        }
    }
}

@Suite("Times of a board")
struct StoreTimesTests {
    @Test("All are in the zone of the store, whatever this machine's is, and that zone has a name")
    func zone() throws {
        let rows = try [
            SampleBoard.row(timeZone: "Asia/Tokyo"), SampleBoard.row(timeZone: "Europe/Copenhagen"),
            SampleBoard.row(timeZone: "Europe/Copenhagen"),
        ]
        let times = StoreTimes(rows, now: SampleBoard.now)
        #expect(times.zoneName == "Europe/Copenhagen")
        #expect(times.text(SampleBoard.now) == "18:00")
        #expect(StoreTimes([], now: SampleBoard.now).zoneName == "UTC")
    }

    @Test("A row that has ended shows when, and not what was expected")
    func ended() throws {
        let times = StoreTimes([try SampleBoard.row()], now: SampleBoard.now)
        #expect(times.expected(try SampleBoard.row(endedAfter: -10)) == "ended 17:50")
    }
}
