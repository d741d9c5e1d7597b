import ArgumentParser
import DeliverySamples
import DoorstepAPI
import OrderDomain
import Testing

@testable import Doorstep

@Suite("A correction in flags")
struct CorrectionFlagsTests {
    @Test("A text is new, an empty one removes it, and what is not given stays as it is")
    func texts() throws {
        let flags = try CorrectionFlags.parse([
            "--street", "Strandgade 2", "--floor", "", "--door", "55.7,12.6", "--name", "Ole", "--phone", "",
        ])
        let body = try flags.dropOff(of: SampleDeliveries.delivery(), reason: "called")
        #expect(body.address?.street == .text("Strandgade 2") && body.address?.floor == .removed)
        #expect(body.address?.city == nil && body.note == nil && body.reason == "called")
        #expect(body.door == Coordinate(latitude: 55.7, longitude: 12.6))
        let recipient = flags.recipient(reason: nil)
        #expect(recipient.name == .text("Ole") && recipient.phone == .removed)
        #expect(flags.changesDropOff && flags.changesRecipient && flags.settle == nil)
    }

    @Test("A misspelt street keeps the delivery's door; a note alone names none")
    func doors() throws {
        let delivery = SampleDeliveries.delivery()
        let same = try CorrectionFlags.parse(["--city", "Valby", "--same-door"])
        #expect(try same.dropOff(of: delivery, reason: nil).door == delivery.door)
        let note = try CorrectionFlags.parse(["--note", "by the lift"]).dropOff(of: delivery, reason: nil)
        #expect(note.door == nil && note.address == nil && note.note == .text("by the lift"))
    }

    @Test("Further items are numbered on")
    func items() throws {
        let delivery = SampleDeliveries.delivery()
        let flags = try CorrectionFlags.parse(["--item", "2x Oat milk", "--item", "Bread"])
        let body = try flags.furtherItems(of: delivery, reason: nil)
        #expect(body.items.map(\.name) == ["Oat milk", "Bread"] && body.items[0].quantity == 2)
        #expect(body.items.map(\.id.rawValue) == [1, 2].map { "item-\(delivery.items.count + $0)" })
        #expect(body.items.allSatisfy { $0.class == nil })
        let wine = try CorrectionFlags.parse(["--item", "Wine", "--item", "Gin", "--item-class", "alcohol"])
        #expect(try wine.furtherItems(of: delivery, reason: nil).items.map(\.class) == ["alcohol", "alcohol"])
    }

    @Test(
        "What is no correction is refused before anything is sent",
        arguments: [
            [], ["--street", "Strandgade 2"], ["--city", "Valby"], ["--settle", "both"],
            ["--door", "55.7,12.6", "--same-door"], ["--name", "Ole", "--item-class", "alcohol"],
        ])
    func refusals(arguments: [String]) {
        #expect(throws: (any Error).self) { try CorrectionFlags.parse(arguments) }
    }
}
