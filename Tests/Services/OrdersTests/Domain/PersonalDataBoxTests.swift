import Foundation
import OrderDomain
import Synchronization
import TestSupport
import Testing
import TextCoding

@testable import Orders

@Suite("Sealed personal data")
struct PersonalDataBoxTests {
    private let delivery = DeliveryID(UUID())
    private let dropOff = DropOff(
        recipient: Recipient(name: "Mette Holm", phone: "+4520123456"),
        address: Address(street: "Nørrebrogade 40", doorCode: "1842#77#"), note: "Mind the dog"
    ).unsafelyUnwrapped

    private final class Reports: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }

        func append(_ unreadable: PersonalDataBox.Unreadable) { texts.withLock { $0.append("\(unreadable)") } }
    }

    private func box(
        _ bytes: [UInt8: UInt8], sealing: UInt8, seals: Bool = true, retired: Set<UInt8> = []
    ) throws -> PersonalDataBox {
        PersonalDataBox(
            try SecretBox(keys: bytes.mapValues { Array(repeating: $0, count: 32) }, encrypting: sealing), seals: seals,
            retired: retired)
    }

    private func courier(_ id: String = "mira", phone: String?) throws -> Courier {
        Courier(id: try #require(CourierID(rawValue: id)), name: "Mira", vehicle: .bicycle, phone: phone)
    }

    @Test("What is sealed has no word of it and is opened; a box that no longer seals opens it too")
    func seals() throws {
        let sealed = try box([1: 7], sealing: 1).stored(dropOff, of: delivery)
        #expect(sealed.hasPrefix("\"1:"))
        for word in ["Mette", "20123456", "brogade", "1842#77#", "Mind the dog"] { #expect(!sealed.contains(word)) }
        for seals in [true, false] {
            #expect(try box([1: 7], sealing: 1, seals: seals).dropOff(in: sealed, of: delivery) == dropOff)
        }
    }

    @Test("Without keys, and without the setting, it is stored as before; both forms are read")
    func clear() throws {
        let clear = try PersonalDataBox.readable.stored(dropOff, of: delivery)
        #expect(clear.hasPrefix("{"))
        #expect(try box([1: 7], sealing: 1, seals: false).stored(dropOff, of: delivery).hasPrefix("{"))
        #expect(try box([1: 7], sealing: 1).dropOff(in: clear, of: delivery) == dropOff)
    }

    @Test("After a rotation the former key opens, and the new one seals")
    func rotation() throws {
        let former = try box([1: 7], sealing: 1).stored(dropOff, of: delivery)
        let rotated = try box([1: 7, 2: 8], sealing: 2)
        #expect(try rotated.dropOff(in: former, of: delivery) == dropOff)
        #expect(try rotated.stored(dropOff, of: delivery).hasPrefix("\"2:"))
    }

    @Test("A lost key, another row's text and a damaged one are refused in words that name row and key alone")
    func refused() throws {
        let sealed = try box([1: 7], sealing: 1).stored(dropOff, of: delivery)
        let reports = Reports()
        let other = DeliveryID(UUID())
        let lost = PersonalDataBox(
            try SecretBox(keys: [2: Array(repeating: 8, count: 32)], encrypting: 2), seals: true
        ) { reports.append($0) }
        let refusals = [
            #expect(throws: PersonalDataBox.Unreadable.self) { try lost.dropOff(in: sealed, of: delivery) },
            #expect(throws: PersonalDataBox.Unreadable.self) {
                try PersonalDataBox.readable.dropOff(in: sealed, of: delivery)
            },
            #expect(throws: PersonalDataBox.Unreadable.self) {
                try box([1: 7], sealing: 1).dropOff(in: sealed, of: other)
            },
            #expect(throws: PersonalDataBox.Unreadable.self) {
                try box([1: 9], sealing: 1).dropOff(in: sealed, of: delivery)
            },
            #expect(throws: PersonalDataBox.Unreadable.self) { try lost.dropOff(in: "\"2:!\"", of: delivery) },
        ].map { $0?.description ?? "" }
        #expect(
            refusals == [
                "the drop-off of \(delivery) is sealed with key 1, which pins.keys.file does not have",
                "the drop-off of \(delivery) is sealed with key 1, and pins.keys.file is not set",
                "the drop-off of \(other) is sealed with another key 1, damaged, or of another row",
                "the drop-off of \(delivery) is sealed with another key 1, damaged, or of another row",
                "the drop-off of \(delivery) is damaged",
            ])
        #expect(reports.all == [refusals[0], refusals[4]])
    }

    @Test("A courier's number is sealed for the courier, and the same number is the same text")
    func numbers() throws {
        let box = try box([1: 7], sealing: 1)
        let sealed = try box.written(courier(phone: "+4512345678"))
        #expect(sealed.phone?.hasPrefix("1:") == true && box.phone(of: sealed) == "+4512345678")
        #expect(try box.written(courier(phone: "+4512345678")) == sealed)
        #expect(try box.written(sealed) == sealed)
        let changed = try box.written(courier(phone: "+4599999999"), present: sealed)
        #expect(changed != sealed && box.phone(of: changed) == "+4599999999")
        #expect(try box.written(courier("noah", phone: "+4512345678")).phone != sealed.phone)
        #expect(try box.phone(of: courier("noah", phone: sealed.phone)) == nil, "another courier's")
        #expect(try box.written(courier(phone: nil)) == courier(phone: nil))
        let number = try courier(phone: "+4512345678")
        #expect(try box.written(.courier(number), present: sealed) == .courier(sealed))
        #expect(try PersonalDataBox.readable.written(.courier(number), present: nil) == .courier(number))
    }

    @Test("A number stays under a key in use or on standby, and is sealed anew under a retired one")
    func retired() throws {
        let keys: [UInt8: UInt8] = [1: 7, 2: 8]
        let (former, present) = (try box(keys, sealing: 1), try box(keys, sealing: 2, retired: [1]))
        let ofFormer = try former.written(courier(phone: "+4512345678"))
        let ofPresent = try present.written(ofFormer)
        #expect(ofFormer.phone?.hasPrefix("1:") == true && ofPresent.phone?.hasPrefix("2:") == true)
        #expect(try former.written(ofPresent) == ofPresent, "a replica that was not restarted yet")
        #expect(try former.written(courier(phone: "+4512345678"), present: ofPresent) == ofPresent)
        #expect(try present.written(courier(phone: "+4512345678"), present: ofFormer) == ofPresent)
        let readable = try box(keys, sealing: 2, seals: false)
        #expect(try readable.written(ofFormer) == courier(phone: "+4512345678"))
    }

    @Test("A row that cannot be opened is logged once, however often it is read")
    func logged() throws {
        let lines = LogLines()
        let rows = UnreadableRows(logger: lines.logger)
        for number in 0..<UnreadableRows.rowsMax + 5 {
            for _ in 0..<2 { rows.report(.init(description: "row \(number)")) }
        }
        #expect(lines.all.count == UnreadableRows.rowsMax + 1)
        #expect(lines.all.last?.contains("are not logged") == true)
    }

    @Test(
        "A search finds in sealed drop-offs what it finds in readable ones",
        arguments: [
            ("met", true), ("METTE H", true), ("holm", true), ("olm", false), ("nørrebro", true), ("norrebro", true),
            ("brogade", false), ("123456", true), ("+45 20 12 34 56", true), ("0045 20123456", true), ("201234", false),
            ("1842", false),
        ])
    func search(text: String, isFound: Bool) throws {
        #expect(try #require(SearchTerm(rawValue: text)).finds(dropOff) == isFound)
    }
}
