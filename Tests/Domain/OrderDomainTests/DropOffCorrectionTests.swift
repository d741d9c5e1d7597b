import OrderDomain
import Testing

@Suite("Correcting a drop-off")
struct DropOffCorrectionTests {
    private static let door = Coordinate(clampingLatitude: 52.53, longitude: 13.42)
    private static let elsewhere = Coordinate(clampingLatitude: 52.54, longitude: 13.45)
    private static let dropOff = DropOff(
        recipient: Recipient(name: "Mette", phone: "+4520123456"),
        address: Address(street: "Torvegade 1", floor: "2. tv", postalCode: "1400", city: "København", doorCode: "11"),
        note: "ring twice")

    private func corrected(_ correction: DropOffCorrection, _ dropOff: DropOff? = Self.dropOff) throws -> DropOff? {
        try correction.changes(of: Self.door, dropOff).corrected(dropOff)
    }

    @Test("Each field has a text of its own, which a correction replaces or removes and the others keep")
    func fields() throws {
        for field in CorrectedField.allCases where field != .door && field != .items {
            let door = field.locatesDoor ? Self.elsewhere : nil
            let next = try #require(try corrected(DropOffCorrection(door: door, texts: [field: "new"])))
            #expect(next[field] == "new")
            for other in CorrectedField.allCases where other != field { #expect(next[other] == Self.dropOff?[other]) }
        }
        let removed = try corrected(DropOffCorrection(texts: [.floor: nil, .doorCode: nil, .note: nil]))
        #expect(removed?.address == Address(street: "Torvegade 1", postalCode: "1400", city: "København"))
        #expect(removed?.note == nil && removed?.recipient == Self.dropOff?.recipient)
    }

    @Test("What the delivery has already is no change")
    func same() throws {
        let same = DropOffCorrection(door: Self.door, texts: [.note: "ring twice", .street: "Torvegade 1"])
        #expect(try same.changes(of: Self.door, Self.dropOff).fields == [])
        let some = DropOffCorrection(texts: [.note: "ring once", .floor: "2. tv", .recipientPhone: nil])
        #expect(try some.changes(of: Self.door, Self.dropOff).fields == [.note, .recipientPhone])
        #expect(try DropOffCorrection(texts: [.note: nil]).changes(of: Self.door, nil).fields == [])
    }

    @Test("Another street, postal code or city needs the door's position; the same position is one")
    func position() throws {
        for field in [CorrectedField.street, .postalCode, .city] {
            #expect(throws: ChangeRefusal.doorMissing) { try corrected(DropOffCorrection(texts: [field: "new"])) }
            let placed = DropOffCorrection(door: Self.door, texts: [field: "new"])
            #expect(try placed.changes(of: Self.door, Self.dropOff).fields == [field])
        }
        #expect(throws: Never.self) { try corrected(DropOffCorrection(texts: [.floor: "3.", .doorCode: "12"])) }
    }

    @Test("An address keeps its street, and a number its name")
    func complete() throws {
        #expect(throws: ChangeRefusal.incomplete(.street)) {
            try corrected(DropOffCorrection(door: Self.door, texts: [.street: nil]))
        }
        #expect(throws: ChangeRefusal.incomplete(.street)) {
            try corrected(DropOffCorrection(texts: [.floor: "1."]), nil)
        }
        #expect(throws: ChangeRefusal.incomplete(.recipientName)) {
            try corrected(DropOffCorrection(texts: [.recipientName: nil]))
        }
        let everything = DropOffCorrection(
            door: Self.door,
            texts: [
                .street: nil, .floor: nil, .postalCode: nil, .city: nil, .doorCode: nil, .note: nil,
                .recipientName: nil, .recipientPhone: nil,
            ])
        #expect(try corrected(everything) == nil)
    }

    @Test("The customer's request stays until the shop corrects the address or declines it")
    func request() throws {
        let asked = Address(street: "Strandgade 2")
        let requested = try #require(try DeliveryChange.requestAddress(asked).dropOff(after: Self.dropOff))
        #expect(requested.requestedAddress == asked && requested.address == Self.dropOff?.address)
        #expect(try corrected(DropOffCorrection(texts: [.note: "new"]), requested)?.requestedAddress == asked)
        let decided = DropOffCorrection(door: Self.elsewhere, texts: [.street: "Strandgade 2"])
        #expect(try corrected(decided, requested)?.requestedAddress == nil)
        #expect(try DeliveryChange.settleCorrection(.decision).dropOff(after: requested) == Self.dropOff)
        #expect(try DeliveryChange.settleCorrection(.provider).dropOff(after: requested) == requested)
    }

    @Test("A code or a floor decides nothing about the customer's request, but the requested address does")
    func decision() throws {
        let present = try #require(Self.dropOff?.address)
        let elsewhere = Address(street: "Strandgade 2")
        let requested = try #require(try DeliveryChange.requestAddress(elsewhere).dropOff(after: Self.dropOff))
        for field in [CorrectedField.doorCode, .floor, .recipientName] {
            let kept = try corrected(DropOffCorrection(texts: [field: "new"]), requested)
            #expect(kept?.requestedAddress == elsewhere && kept?[field] == "new")
        }
        let upstairs = Address(
            street: present.street, floor: "3. th", postalCode: present.postalCode, city: present.city,
            doorCode: present.doorCode)
        let asked = try #require(try DeliveryChange.requestAddress(upstairs).dropOff(after: Self.dropOff))
        let other = try corrected(DropOffCorrection(texts: [.floor: "4."]), asked)
        #expect(other?.requestedAddress == upstairs)
        let confirmed = try corrected(DropOffCorrection(texts: [.floor: "3. th"]), asked)
        #expect(confirmed?.address == upstairs && confirmed?.requestedAddress == nil)
    }
}
