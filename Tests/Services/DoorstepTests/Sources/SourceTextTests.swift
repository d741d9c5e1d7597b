import ArgumentParser
import CommandLineTestSupport
import CommandOutput
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@testable import Doorstep

@Suite("Accounts at providers and what they sent, in the terminal")
struct SourceTextTests {
    private static let times = StoreTimes(timeZone: "Europe/Copenhagen", now: SampleDeliveries.at(55))

    private static func source(
        _ id: String, _ provider: String, name: String? = nil, tokenURL: String? = nil, secret: String? = nil
    ) -> SourceBody {
        SourceBody(
            id: SampleDeliveries.id(id), provider: provider, name: name,
            store: name == nil ? nil : StoreID(rawValue: "nordhavn"), acceptsTest: name == nil,
            url: "https://partners.example/in/\(id)", tokenURL: tokenURL,
            secrets: [
                .init(id: "secret-1", createdAt: SampleDeliveries.placedAt),
                .init(id: "secret-2", createdAt: SampleDeliveries.at(5), secret: secret),
            ], createdAt: SampleDeliveries.placedAt)
    }

    @Test("The list has each account with where its provider sends webhooks")
    func list() throws {
        let text = [
            Self.source("dash", "doordash"), Self.source("uber-cph", "uber", name: "Uber \u{1B}[31mCPH"),
        ].table.text
        try expectGolden(text + "\n", "sources/list.txt")
        #expect(!text.contains("\u{1B}"))
        #expect([SourceBody]().table.text == "no sources")
    }

    @Test("One account is shown with what its provider is to be given")
    func show() throws {
        let text = Self.source(
            "dash", "doordash", tokenURL: "https://partners.example/in/dash/token", secret: "c2VjcmV0"
        ).text(Self.times)
        try expectGolden(text + "\n", "sources/show.txt")
    }

    private static func receipt(
        _ id: String, _ state: ReceiptBody.State, isKnown: Bool = true, dismissal: ReceiptBody.Dismissal? = nil,
        body: String? = nil
    ) -> ReceiptBody {
        ReceiptBody(
            id: id, source: SampleDeliveries.id("uber-cph"), kind: "event.delivery_status",
            references: ["del_7", "G-1"], state: state, isKnown: isKnown, delivery: nil,
            receivedAt: SampleDeliveries.at(3), dismissal: dismissal, body: body)
    }

    @Test("What providers sent is listed with what became of it, and says how to go on")
    func received() throws {
        let page = ReceiptsBody(
            receipts: [Self.receipt("r-1", .waiting, isKnown: false), Self.receipt("r-2", .quarantined)], next: "c2")
        try expectGolden(page.table(Self.times).text + "\n", "sources/received.txt")
        #expect(ReceiptsBody(receipts: [], next: nil).table(Self.times).text == "nothing was received")
    }

    @Test("One event that a provider sent is shown with why it waits, and its body")
    func event() throws {
        let text = Self.receipt("r-1", .waiting, isKnown: false, body: #"{"status":"pickup"}"#).text(
            Self.times)
        try expectGolden(text + "\n", "sources/event.txt")
    }

    @Test("An event that was dismissed is shown with who did it, when and why")
    func dismissed() {
        let dismissal = ReceiptBody.Dismissal(by: "ada", at: SampleDeliveries.at(9), reason: "of a \u{1B}[31mtest")
        let receipt = Self.receipt("r-3", .dismissed, isKnown: false, dismissal: dismissal)
        let text = receipt.text(Self.times)
        for part in [
            "dismissed, unknown", "18:09:00 by ada", "It was dismissed: nothing more comes of it.",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        let answer = receipt.dismissalText
        #expect(answer.hasPrefix("Event r-3 is dismissed by ada: of a "))
        #expect(!text.contains("\u{1B}") && !answer.contains("\u{1B}"))
    }

    @Test("An event is dismissed by its id with a reason, and never without one")
    func dismissal() throws {
        let command = try SourcesDismiss.parse(["r-1", "--reason", "of a test", "--yes"])
        #expect(command.receipt == "r-1" && command.reason == "of a test")
        for arguments in [["r-1"], ["--reason", "of a test"], ["r 1", "--reason", "of a test"]] {
            #expect(throws: (any Error).self) { try SourcesDismiss.parse(arguments) }
        }
    }

    @Test("What providers call a delivery is listed by account")
    func references() throws {
        let delivery = SampleDeliveries.delivery().id
        let known = ProviderReferencesBody(
            delivery: delivery, references: [.init(source: SampleDeliveries.id("uber-cph"), reference: "del_7")])
        #expect(
            known.text
                == "delivery \(delivery)\n\nSOURCE    REFERENCE\nuber-cph  del_7")
        let none = ProviderReferencesBody(delivery: delivery, references: [])
        #expect(none.text == "delivery \(delivery)\n\nno provider has it")
    }

    @Test("A secret comes from a file without the line's end, and a file without one is refused")
    func secretFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("whsec_c2VjcmV0\n".utf8).write(to: file)
        let given = try SecretFile.parse(["--secret-file", file.path])
        #expect(try given.secret() == "whsec_c2VjcmV0")
        try Data("\n".utf8).write(to: file)
        #expect(throws: (any Error).self) { try given.secret() }
        #expect(try SecretFile.parse([]).secret() == nil)
    }
}
