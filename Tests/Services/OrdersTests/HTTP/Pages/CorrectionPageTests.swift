import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Orders

@Suite("Corrections on a customer's page", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct CorrectionPageTests {
    private static let address = "part=address&street=Strandgade+2&floor=&postal_code=1401&city=Kbh&door_code="

    /// A delivery's page, with and without the order's number.
    private struct Page {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let delivery: DeliveryID
        let path: String
        var cookie: String?

        func html(correcting: Bool = false) async throws -> String {
            let query = correcting ? "?correct=true" : ""
            return try await String(buffer: orders.page(client, path + query, cookie: cookie).body)
        }

        func post(
            _ fields: String, to part: String = "/drop-off", from origin: String = OrdersUnderTest.origin
        ) async throws -> TestResponse {
            try await orders.post(client, path + part, fields, origin: origin, cookie: cookie)
        }

        func record() async throws -> DeliveryRecord {
            try #require(
                try await OrderRepository.delivery(
                    delivery, opening: OrdersUnderTest.personalData, on: orders.pool))
        }
    }

    private func withPage(
        _ allowed: [CustomerCorrection]?, customerPacer: CustomerPacer = CustomerPacer(),
        _ body: @escaping @Sendable (Page) async throws -> Void
    ) async throws {
        try await OrdersUnderTest.run(customerPacer: customerPacer) { orders, client in
            let reference = "G-\(1042 + (allowed?.count ?? 0))"
            var order = try orders.body(reference: reference, corrections: CorrectionLimits(byCustomer: allowed))
            order.address = Address(street: "Torvegade 1")
            order.note = "Mind the dog"
            let placed = try await orders.place(client, order).deliveries[0]
            var page = Page(
                orders: orders, client: client, delivery: placed.id,
                path: try await orders.viewLink(of: placed.id, client))
            let proof = try await page.post("reference=\(reference)", to: "/proof")
            page.cookie = try #require(proof.headers[.setCookie]).split(separator: ";").first.map(String.init)
            try await body(page)
        }
    }

    @Test("The note changes at once, as the customer's; who has only the link is shown no form")
    func note() async throws {
        try await withPage([.note]) { page in
            #expect(try await page.html().contains("id=\"do-correct\""))
            let form = try await page.html(correcting: true)
            #expect(form.contains("id=\"correct-save\"") && !form.contains("id=\"correct-ask\""))
            let saved = try await page.post("part=note&note=By+the+lift")
            #expect(saved.status == .seeOther && saved.headers[.location] == page.path)
            #expect(try await page.record().dropOff?.note == "By the lift")
            let timeline = try await OrderRepository.timeline(page.delivery, on: page.orders.pool)
            #expect(timeline.last?.by == "customer mette" && timeline.last?.summary == "corrected: note")
            #expect(try await page.post("part=note&note=").status == .seeOther)
            #expect(try await page.record().dropOff?.note == nil)
            var unproven = page
            unproven.cookie = nil
            #expect(try await !unproven.html(correcting: true).contains("correct-"))
            #expect(try await unproven.post("part=note&note=x").status == .unprocessableContent)
            #expect(try await page.post("part=note&note=x", from: "https://evil.example").status == .forbidden)
        }
    }

    @Test("Another address waits for the shop, which confirms it with the door's position or declines it")
    func address() async throws {
        try await withPage([.note, .address]) { page in
            let (orders, client) = (page.orders, page.client)
            #expect(try await page.post("part=address&street=Torvegade+1").status == .seeOther)
            #expect(try await page.record().delivery.version == 1, "it goes there already")
            #expect(try await page.post(Self.address).status == .seeOther)
            #expect(try await page.post(Self.address).status == .seeOther, "the same request is made once")
            var record = try await page.record()
            #expect(record.delivery.version == 2 && record.delivery.correctionsDue == [.decision])
            #expect(record.dropOff?.address?.street == "Torvegade 1")
            #expect(try await page.html().contains("You asked for Strandgade 2, 1401 Kbh."))
            try await orders.assign("jonas", page.delivery, client)
            func read(_ role: Role, _ subject: String) async throws -> DeliveryBody {
                try await orders.send(client, .get, "/v1/deliveries/\(page.delivery)", as: role, subject).decode()
            }
            #expect(try await read(.operator, "ada").requestedAddress?.street == "Strandgade 2")
            #expect(try await read(.courier, "jonas").requestedAddress == nil, "the shop has not decided")
            for message in try await orders.outbox() {
                #expect(!String(decoding: message.payload, as: UTF8.self).contains("Strandgade"))
            }
            let declined = try await orders.send(
                client, .post, "/v1/deliveries/\(page.delivery)/correction-due", as: .store, "nordhavn",
                SettleCorrectionBody(settled: .decision))
            #expect(declined.status == .ok)
            record = try await page.record()
            #expect(record.dropOff?.requestedAddress == nil && record.delivery.correctionsDue == nil)

            #expect(try await page.post(Self.address).status == .seeOther)
            let confirmed = try await orders.send(
                client, .patch, "/v1/deliveries/\(page.delivery)/drop-off", as: .store, "nordhavn",
                DropOffBody(
                    door: Coordinate(clampingLatitude: 55.69, longitude: 12.58),
                    address: .init(street: .text("Strandgade 2"), postalCode: .text("1401"), city: .text("Kbh"))))
            #expect(confirmed.status == .ok)
            record = try await page.record()
            #expect(record.dropOff?.requestedAddress == nil && record.delivery.correctionsDue == nil)
            #expect(record.dropOff?.address?.street == "Strandgade 2")
        }
    }

    @Test("An end drops the address that was asked for, which is asked for anew after a reopening")
    func addressAfterEnd() async throws {
        try await withPage([.note, .address]) { page in
            let (orders, client) = (page.orders, page.client)
            let asked = try await page.post(Self.address)
            #expect(asked.status == .seeOther)
            try await orders.set(.cancelled, page.delivery, client)
            var record = try await page.record()
            #expect(record.dropOff?.requestedAddress == nil && record.delivery.correctionsDue == nil)
            #expect(record.dropOff?.address?.street == "Torvegade 1")
            let reopening = DeliveryChange.override(.accepted, reason: "it goes on")
            _ = try await orders.change(page.delivery, reopening, by: Principal(.operator("ada")))
            let again = try await page.post(Self.address)
            #expect(again.status == .seeOther)
            record = try await page.record()
            #expect(record.dropOff?.requestedAddress?.street == "Strandgade 2")
            #expect(record.delivery.correctionsDue == [.decision])
        }
    }

    @Test("An address that is kept without a decision to make, as former versions kept it, can be asked for again")
    func addressKept() async throws {
        try await withPage([.note, .address]) { page in
            let kept = DropOff(
                recipient: nil, address: Address(street: "Torvegade 1"), note: "Mind the dog",
                requestedAddress: Address(street: "Strandgade 2", postalCode: "1401", city: "Kbh"))
            for statement in try OrderRepository.replace([(page.delivery, kept)], by: .readable) {
                try await page.orders.pool.execute(statement)
            }
            let asked = try await page.post(Self.address)
            #expect(asked.status == .seeOther)
            let record = try await page.record()
            #expect(record.delivery.correctionsDue == [.decision] && record.dropOff == kept)
        }
    }

    @Test("Who asks for the present address takes a request for another one back")
    func addressTakenBack() async throws {
        try await withPage([.note, .address]) { page in
            let asked = try await page.post(Self.address)
            #expect(asked.status == .seeOther)
            let takenBack = try await page.post("part=address&street=Torvegade+1")
            #expect(takenBack.status == .seeOther)
            let record = try await page.record()
            #expect(record.dropOff?.requestedAddress == nil && record.delivery.correctionsDue == nil)
            #expect(record.dropOff?.address?.street == "Torvegade 1" && record.delivery.version == 3)
        }
    }

    @Test("A correction counts as a change of its customer, and is answered after the wait")
    func pace() async throws {
        let delays = Mutex(0)
        // So slow that the time that passes meanwhile does not count.
        let pacer = CustomerPacer(changesPerSecond: 0.001) { _ in delays.withLock { $0 += 1 } }
        try await withPage([.note], customerPacer: pacer) { page in
            for _ in 1...30 { await pacer.wait(for: OrdersUnderTest.customer, changes: 10) }
            await pacer.wait(for: OrdersUnderTest.customer)
            let before = delays.withLock { $0 }
            let saved = try await page.post("part=note&note=By+the+lift")
            let after = delays.withLock { $0 }
            #expect(saved.status == .seeOther && after == before + 1)
        }
    }

    @Test("The note's form overwrites no newer correction, and comes back with the note as it is")
    func newerNote() async throws {
        try await withPage([.note]) { page in
            let form = try await page.html(correcting: true)
            #expect(form.contains("name=\"seen\" value=\"0\""))
            let corrected = try await page.orders.send(
                page.client, .patch, "/v1/deliveries/\(page.delivery)/drop-off", as: .store, "nordhavn",
                DropOffBody(note: .text("Ring at number 2")))
            #expect(corrected.status == .ok)
            let refused = try await page.post("part=note&note=By+the+lift&seen=0")
            let html = String(buffer: refused.body)
            #expect(refused.status == .conflict)
            #expect(html.contains("name=\"seen\" value=\"1\"") && html.contains("value=\"Ring at number 2\""))
            #expect(html.contains("The delivery was corrected meanwhile.") && !html.contains("Call the store."))
            for _ in 1...2 {
                let saved = try await page.post("part=note&note=By+the+lift&seen=1")
                #expect(saved.status == .seeOther, "the same form may be sent twice")
            }
            let record = try await page.record()
            #expect(record.dropOff?.note == "By the lift" && record.delivery.correction?.number == 2)
        }
    }

    @Test("A form with a faulty text comes back as it was sent, and the cursor is in the field at fault")
    func keptTexts() async throws {
        try await withPage([.note, .address]) { page in
            let form = try await page.html(correcting: true)
            #expect(form.contains("name=\"door_code\" value=\"\" maxlength=\"24\""))
            #expect(form.contains("name=\"note\" value=\"Mind the dog\" maxlength=\"280\""))
            #expect(!form.contains("aria-invalid") && !form.contains("autofocus"))
            let fault = "autocomplete=\"off\" aria-invalid=\"true\" aria-describedby=\"fault\" autofocus"
            let code = String(repeating: "7", count: 25)
            let address = try await page.post("part=address&street=Strandgade+2&floor=1.+th&door_code=\(code)")
            let addressHTML = String(buffer: address.body)
            #expect(address.status == .unprocessableContent)
            #expect(addressHTML.contains("value=\"Strandgade 2\"") && addressHTML.contains("value=\"1. th\""))
            #expect(addressHTML.contains("name=\"door_code\" value=\"\(code)\" maxlength=\"24\" \(fault)"))
            #expect(addressHTML.contains("value=\"Mind the dog\"") && addressHTML.contains("id=\"fault\""))
            #expect(addressHTML.components(separatedBy: "aria-invalid").count == 2)
            let text = String(repeating: "x", count: 281)
            let note = try await page.post("part=note&note=\(text)&seen=0")
            let noteHTML = String(buffer: note.body)
            #expect(noteHTML.contains("name=\"note\" value=\"\(text)\" maxlength=\"280\" \(fault)"))
            #expect(noteHTML.contains("name=\"seen\" value=\"0\"") && noteHTML.contains("value=\"Torvegade 1\""))
        }
    }

    @Test("What the store does not allow, what is too late and what is no text is refused, and changes nothing")
    func refusals() async throws {
        try await withPage(nil) { page in
            let html = try await page.html()
            #expect(!html.contains("do-correct"))
            #expect(try await page.post("part=note&note=x").status == .conflict)
        }
        try await withPage([.note, .address]) { page in
            let long = String(repeating: "x", count: 281)
            for fields in ["part=note&note=\(long)", "part=note&note=a%07b", "part=address&street=", "part=door", ""] {
                #expect(try await page.post(fields).status == .unprocessableContent, "\(fields)")
            }
            #expect(try await page.record().delivery.version == 1)
            try await page.orders.set(.cancelled, page.delivery, page.client)
            #expect(try await page.post("part=note&note=x").status == .conflict)
            #expect(try await page.post(Self.address).status == .conflict)
        }
    }
}
