import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Desk

@Suite("A change as a form has it")
struct ChangeFormTests {
    private static let copenhagen = TimeZone(identifier: "Europe/Copenhagen") ?? .gmt

    private func form(_ kind: DeskChange.Kind, _ fields: [String: String]) throws -> ChangeForm {
        try ChangeForm(
            kind, fields.merging(["version": "3", "reason": " why "]) { own, _ in own }, timeZone: Self.copenhagen)
    }

    @Test("Times are the store's, and are written as they are read")
    func times() throws {
        let promise = try #require(
            Promise(start: SampleDeliveries.at(0), end: SampleDeliveries.at(60)))
        let start = ChangeForm.text(promise.start, in: Self.copenhagen)
        let end = ChangeForm.text(promise.end, in: Self.copenhagen)
        #expect(start == "2026-11-21T18:00")
        let read = try form(.promise, ["start": start, "end": end])
        #expect(read.change == .promise(promise) && read.reason == "why" && read.version == 3)
        for bad in ["2026-02-30T10:00", "2026-11-21", "soon", "2026-11-21T25:00", ""] {
            #expect(throws: ChangeForm.Fault.self, "\(bad)") {
                try form(.promise, ["start": bad, "end": end])
            }
        }
        #expect(throws: ChangeForm.Fault.self) { try form(.promise, ["start": end, "end": start]) }
    }

    @Test("A hour that the clock skips is no time", arguments: ["2026-03-29T02:30"])
    func skippedHour(text: String) { #expect(ChangeForm.date(text, Self.copenhagen) == nil) }

    @Test(
        "A reason is needed, on one line and not long",
        arguments: ["", "   ", "a\u{0}b", "a\nb", String(repeating: "x", count: 201)])
    func reasons(reason: String) {
        #expect(throws: ChangeForm.Fault.self) { try form(.hold, ["reason": reason]) }
    }

    @Test("What takes a change back is what was, where the domain has that")
    func undo() throws {
        let before = SampleDeliveries.delivery([.courier(SampleDeliveries.mira)])
        #expect(DeskChange.hold.undo(before) == .release && DeskChange.release.undo(before) == .hold)
        let held = SampleDeliveries.delivery([.hold(reason: "flood")])
        #expect(DeskChange.hold.undo(held) == .hold && DeskChange.release.undo(held) == .hold)
        #expect(DeskChange.hold.undoQuery(held, in: .gmt) == "&undo=hold", "no address has a person's words")
        let unsafe = SampleDeliveries.delivery([.hold(reason: CourierProblem.unsafe.reason)])
        #expect(
            DeskChange.hold.undoQuery(unsafe, in: .gmt)
                == "&undo=hold&reason=courier%3A%20it%20is%20not%20safe%20to%20go%20on")
        #expect(DeskChange.hold.undoQuery(before, in: .gmt) == "&undo=release")
        #expect(DeskChange.courier(nil).undo(before) == .courier(SampleDeliveries.mira.id))
        let third = SampleDeliveries.delivery([.courier(SampleDeliveries.mira, stopsBefore: 2)])
        #expect(DeskChange.courier(nil).undo(third) == .courier(SampleDeliveries.mira.id, stopsBefore: 2))
        #expect(DeskChange.courier(nil).undo(SampleDeliveries.delivery()) == .courier(nil))
        #expect(DeskChange.promise(before.promise).undo(before) == .promise(before.promise))
        for change in [DeskChange.status(.accepted), .resend, .endCards] { #expect(change.undo(before) == nil) }
    }

    @Test("A form that takes a move back has the former courier's stops, and none for another courier")
    func stopsOfCourier() throws {
        let fields = ["courier": "mira", "stops": "2"]
        let mira = DeskChange.courier(SampleDeliveries.mira.id, stopsBefore: 2)
        #expect(try form(.courier, fields).change == mira)
        #expect(try form(.courier, fields.merging(["former": "mira"]) { $1 }).change == mira)
        let other = try form(.courier, fields.merging(["former": "finn"]) { $1 })
        #expect(other.change == .courier(SampleDeliveries.mira.id))
    }

    @Test("A restored hold has the reason of the former one, unless no form may have it")
    func reasonOfHold() throws {
        let fields = ChangeForm.fields(ofHold: CourierProblem.vehicle.reason)
        #expect(try form(.hold, ["reason": "Undo"].merging(fields) { $1 }).reason == CourierProblem.vehicle.reason)
        for none in [nil, "", "two\nlines", String(repeating: "x", count: 201)] {
            #expect(ChangeForm.fields(ofHold: none).isEmpty)
        }
    }

    @Test("A corrected address has its texts, without those that are left empty, and a position in one of two ways")
    func dropOff() throws {
        let texts = ["street": " Strandgade 2 ", "floor": "", "postal_code": "2200"]
        let moved = try form(.dropOff, texts.merging(["door": "55.7085, 12.5942", "present": "1, 2"]) { $1 })
        let wanted: [CorrectedField: String?] = [.street: "Strandgade 2", .floor: nil, .postalCode: "2200"]
        #expect(
            moved.change
                == .dropOff(DropOffCorrection(door: SampleDeliveries.place(55.7085, 12.5942), texts: wanted)))
        let same = try form(.dropOff, texts.merging(["sameDoor": "true", "present": "55.7, 12.6", "door": ""]) { $1 })
        #expect(same.change == .dropOff(DropOffCorrection(door: SampleDeliveries.place(55.7, 12.6), texts: wanted)))
        #expect(try form(.dropOff, ["note": "x"]).change == .dropOff(DropOffCorrection(texts: [.note: "x"])))
        for bad in ["55.7", "91, 12", "here, there"] {
            #expect(throws: ChangeForm.Fault.self, "\(bad)") { try form(.dropOff, ["door": bad]) }
        }
    }

    @Test("An empty number keeps the number, and a box removes it")
    func recipient() throws {
        let named = try form(.recipient, ["recipient_name": "Ole", "recipient_phone": ""])
        #expect(named.change == .recipient(DropOffCorrection(texts: [.recipientName: "Ole"])))
        let removed = try form(.recipient, ["recipient_phone": "", "removePhone": "true"])
        #expect(removed.change == .recipient(DropOffCorrection(texts: [.recipientPhone: nil])))
    }

    @Test("A planned correction of another bag is the form's")
    func planned() throws {
        let correction = DropOffCorrection(
            door: SampleDeliveries.place(55.7, 12.6), texts: [.street: "Strandgade 2", .floor: nil])
        let planned = PlannedChange(
            SampleDeliveries.delivery().id, version: 3, fields: ChangeForm.fields(of: correction))
        let read = try #require(PlannedChange(planned.text))
        #expect(try form(.dropOff, read.fields).change == .dropOff(correction))
        let number = DropOffCorrection(texts: [.recipientPhone: nil])
        #expect(try form(.recipient, ChangeForm.fields(of: number)).change == .recipient(number))
    }

    @Test("A courier's id may be typed, with white space around it")
    func typedCourier() throws {
        #expect(try form(.courier, ["courier": " mira\n"]).change == .courier(SampleDeliveries.mira.id))
        for text in ["", " ", "a b"] {
            #expect(throws: ChangeForm.Fault(field: "courier", text: "Choose a courier, or type the id.")) {
                try form(.courier, ["courier": text])
            }
        }
    }

    @Test("A further item has a name and a number, and what was settled is chosen")
    func itemsAndSteps() throws {
        let bread = try form(.addItem, ["name": " Bread ", "quantity": "2"])
        #expect(bread.change == .addItem(name: "Bread", quantity: 2))
        let wine = try form(.addItem, ["name": "Wine", "class": " Alcohol "])
        #expect(wine.change == .addItem(name: "Wine", quantity: 1, itemClass: "alcohol"))
        #expect(try form(.addItem, ["name": "Bread", "class": " "]).change == .addItem(name: "Bread", quantity: 1))
        #expect(throws: ChangeForm.Fault.self) { try form(.addItem, ["name": " "]) }
        #expect(throws: ChangeForm.Fault.self) { try form(.addItem, ["name": "Bread", "quantity": "0"]) }
        #expect(try form(.settleCorrection, ["due": "provider"]).change == .settleCorrection(.provider))
        #expect(throws: ChangeForm.Fault.self) { try form(.settleCorrection, [:]) }
    }

    @Test("A substitute has a name, and a status that has one")
    func items() throws {
        let milk: ItemID = SampleDeliveries.id("milk")
        #expect(throws: ChangeForm.Fault.self) {
            try form(.item, ["item": "milk", "itemStatus": "substituted", "substitute": " "])
        }
        #expect(throws: ChangeForm.Fault.self) {
            try form(.item, ["item": "milk", "itemStatus": "found", "substitute": "Oat milk"])
        }
        let found = try form(.item, ["item": "milk", "itemStatus": "found", "substitute": ""])
        #expect(found.change == .item(milk, .found, substitute: nil))
    }
}

extension ChangeFormTests {
    @Test("A moved promise holds while the delivery has it to the second")
    func heldPromise() throws {
        let (start, end) = (SampleDeliveries.at(30), SampleDeliveries.at(60))
        let exact = try #require(Promise(start: start + 0.25, end: end + 0.25))
        let delivery = SampleDeliveries.delivery([.promise(exact)])
        let same = try #require(Promise(start: start, end: end))
        #expect(DeskChange.promise(same).holds(in: delivery))
        let other = try #require(Promise(start: start, end: end + 60))
        #expect(!DeskChange.promise(other).holds(in: delivery))
    }

    @Test("A time of the hour that comes twice stays the one that it was while nobody changes it")
    func autumn() throws {
        let winter = Date(timeIntervalSince1970: 1_824_944_400)
        let promise = try #require(
            Promise(start: winter.addingTimeInterval(-1_800), end: winter.addingTimeInterval(1_800)))
        let zone = try #require(TimeZone(identifier: "Europe/Copenhagen"))
        var fields = ["version": "3", "reason": "why"]
        for (name, date) in [("start", promise.start), ("end", promise.end)] {
            fields[name] = ChangeForm.text(date, in: zone)
            fields[ChangeForm.exactName(of: name)] = String(Int(date.timeIntervalSince1970))
        }
        #expect(fields["start"] == "2027-10-31T02:30" && fields["start"] == fields["end"])
        #expect(try ChangeForm(.promise, fields, timeZone: zone).change == .promise(promise))
        fields["end"] = "2027-10-31T03:30"
        let later = try #require(Promise(start: promise.start, end: winter.addingTimeInterval(5_400)))
        #expect(try ChangeForm(.promise, fields, timeZone: zone).change == .promise(later))
    }
}
