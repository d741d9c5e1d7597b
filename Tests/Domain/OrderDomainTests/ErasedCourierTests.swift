import Foundation
import Testing

@testable import OrderDomain

@Suite("A courier who is erased")
struct ErasedCourierTests {
    private static func courier(_ id: String, _ name: String) throws -> Courier {
        Courier(id: try #require(CourierID(rawValue: id)), name: name, vehicle: .car, phone: "+4512345678")
    }

    private static func erased(_ courier: Courier) -> ErasedCourier {
        ErasedCourier(
            id: courier.id, pseudonym: CourierID(pseudonym: UUID()), names: [courier.name], phones: ["+4512345678"])
    }

    @Test(
        "A text loses the courier's names where they are whole words",
        arguments: [
            ("Al → Alma", "Courier → Alma"), ("Alma, Al", "Alma, Courier"), ("Al-Amin and Al", "Al-Amin and Courier"),
            ("al", "al"), ("call +4512345678", "call –"), ("Al: house 12, at 12:40", "Courier: house 12, at 12:40"),
        ])
    func texts(text: String, expected: String) throws {
        #expect(Self.erased(try Self.courier("12", "Al")).redacted(text) == expected)
    }

    @Test(
        "JSON loses the courier's names in its texts, and nothing of the order",
        arguments: [
            (
                #"{"message":"Asked Al to leave it","attributes":{"reference":"12","name":"Al"},"version":12}"#,
                #"{"attributes":{"name":"Al","reference":"12"},"message":"Asked Courier to leave it","version":12}"#
            ),
            (#"{"details":[{"text":"Al \"x\"/é"}]}"#, #"{"details":[{"text":"Courier \"x\"/é"}]}"#),
            (#"{"message":"Alma rang at 12:40"}"#, nil), (#"{"delivery":"12"}"#, nil), ("Al", nil),
        ] as [(String, String?)])
    func contents(json: String, expected: String?) throws {
        #expect(Self.erased(try Self.courier("12", "Al")).replaced(inContent: json) == expected)
    }

    @Test("A name with characters that JSON escapes is replaced")
    func escaped() throws {
        let erased = Self.erased(try Self.courier("12", #"Al "Ace" \ Holm"#))
        #expect(
            erased.replaced(inContent: #"{"message":"Al \"Ace\" \\ Holm rang"}"#) == #"{"message":"Courier rang"}"#)
    }

    @Test("A message is about a courier by an id in its place, and not by the same text elsewhere")
    func mentions() throws {
        let erased = Self.erased(try Self.courier("12", "Al"))
        func isMentioned(_ json: String) -> Bool { erased.mentions.contains(where: json.contains) }
        #expect(isMentioned(#"{"courier":"12"}"#) && isMentioned(#"{"courier":{"id":"12","name":"Al"}}"#))
        #expect(!isMentioned(#"{"item":"12","courier":"123"}"#))
    }

    @Test("A delivery is one version later without its courier, and as it is without such a courier")
    func deliveries() throws {
        let (jonas, noah) = (try Self.courier("jonas", "Jonas"), try Self.courier("noah", "Noah"))
        var delivery = placedDelivery()
        _ = try delivery.apply(.courier(jonas), at: start)
        #expect(delivery.without(Self.erased(noah)) == delivery)
        let erased = Self.erased(jonas)
        let after = delivery.without(erased)
        #expect(after.version == delivery.version + 1 && after.courier?.id == erased.pseudonym)
        #expect(after.courier?.name == ErasedCourier.name && after.courier?.phone == nil)
        #expect(after.without(erased) == after)
    }

    @Test("The versions of a delivery without its courier are those of before, but for the courier")
    func reversals() throws {
        let (jonas, noah) = (try Self.courier("jonas", "Jonas"), try Self.courier("noah", "Noah"))
        var delivery = placedDelivery()
        _ = try delivery.apply(.courier(jonas), at: start)
        let before = delivery
        _ = try delivery.apply(.courier(noah), at: start)
        let reversal = DeliveryReversal(from: before, to: delivery)
        let erased = Self.erased(jonas)
        #expect(reversal(delivery).courier == jonas)
        #expect(reversal.without(erased)(delivery) == before.replacing(erased))
    }

    @Test("A late report of an ended delivery whose courier is erased brings the courier not back")
    func reports() throws {
        let jonas = try Self.courier("jonas", "Jonas")
        var delivery = placedDelivery()
        _ = try delivery.apply(.courier(jonas), at: start)
        _ = try delivery.apply(.override(.delivered, reason: "a test"), at: minutes(1))
        var after = delivery.without(Self.erased(jonas))
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: "1", kind: "late",
            status: .delivered, courier: jonas, occurredAt: minutes(9),
            receivedAt: minutes(9))
        _ = try after.apply(.report(report), at: minutes(9))
        #expect(after.courier?.id.isPseudonym == true)
        _ = try delivery.apply(.report(report), at: minutes(9))
        #expect(delivery.courier == jonas)
    }

    @Test("A late report brings no former courier back, where the present one is another")
    func formerCourier() throws {
        let (jonas, noah) = (try Self.courier("jonas", "Jonas"), try Self.courier("noah", "Noah"))
        var delivery = placedDelivery()
        for courier in [jonas, noah] { _ = try delivery.apply(.courier(courier), at: start) }
        _ = try delivery.apply(.override(.delivered, reason: "a test"), at: minutes(1))
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "door-dash")), sourceName: "DoorDash", id: "1", kind: "late",
            status: .assigned, courier: jonas, occurredAt: minutes(9), receivedAt: minutes(9))
        var after = delivery.without(Self.erased(jonas), isFormer: true)
        #expect(after.version == delivery.version + 1 && after.courier == noah)
        #expect(after.without(Self.erased(jonas), isFormer: true) == after)
        _ = try after.apply(.report(report), at: minutes(9))
        #expect(after.courier == noah)
        _ = try delivery.apply(.report(report), at: minutes(9))
        #expect(delivery.courier == jonas)
    }
}
