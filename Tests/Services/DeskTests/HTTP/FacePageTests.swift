import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOHTTP1
import OrderDomain
import TestSupport
import Testing

@testable import Desk

@Suite("The pages of stores' faces", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct FacePageTests {
    private static let path = "/stores/nordhavn/face"
    private static let words = ["da": ["page.items": "Dine varer"]]

    private static func face(_ version: Int, name: String? = "Nordhavn <Market>") -> FaceBody {
        FaceBody(
            StoreFace(
                version: version, name: name,
                colours: FaceColours(light: ShopColour("#0a6b70"), dark: ShopColour("#5fd0d6")),
                contact: StoreContact(phone: "+4533123456", email: "help@nordhavn.example"),
                logo: FaceLogo(hash: "ab", fileExtension: "png", width: 320, height: 96), words: words),
            of: SampleDeliveries.id("nordhavn"), logoURL: "https://go.nordhavn.example/faces/nordhavn/ab.png",
            changedAt: SampleDeliveries.placedAt, changedBy: "operator ada")
    }

    private static func fields(_ changes: [String: String], do verb: String = "set") -> [(String, String)] {
        let all = ["version": "3", "name": "Nordhavn", "light": "#0a6b70", "dark": "#5fd0d6", "do": verb]
        return all.merging(changes) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    @Test("A viewer sees a store's face in both appearances, without a form")
    func read() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
            try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
            await desk.reader.read()
            try desk.services.answer("orders", "/v1\(Self.path)", Self.face(3))
            let bo = try await desk.browser(client, role: .viewer)
            let stores = try await bo.get("/stores").html
            #expect(stores.contains("href=\"/stores/\(delivery.store.id)/face\""))
            #expect(try await bo.get("/stores?store=nordhavn").0.headers[.location] == Self.path)
            #expect(try await bo.get("/stores?store=a+b").0.status == .badRequest)
            let page = try await bo.get(Self.path).html
            #expect(page.contains("Nordhavn &lt;Market&gt;") && !page.contains("<Market>"))
            for part in [
                "fill=\"#0a6b70\"", "fill=\"#5fd0d6\"", "#0a6b70 has 5.68:1 to #f4f4f1.",
                "#5fd0d6 has 9.13:1 to #1b1e23.", "Version 3, by operator ada", "320 × 96", "1 in da",
            ] { #expect(page.contains(part), "\(part)") }
            #expect(!page.contains("id=\"face-set\"") && !page.contains("style="))
        }
    }

    @Test("A preview changes nothing, and names the nearest colour that passes")
    func preview() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1\(Self.path)", Self.face(3))
            let ada = try await desk.browser(client, role: .supervisor)
            _ = desk.services.takeSent()
            let page = try await ada.post(
                Self.path, Self.fields(["light": "#ffcc00", "dark": "blue", "name": "Havnen"], do: "preview"))
            #expect(page.0.status == .ok)
            #expect(page.html.contains("#ffcc00 has 1.37:1 to #f4f4f1, and needs 4.5:1. The nearest is #886d00."))
            #expect(page.html.contains("blue is no colour") && page.html.contains("value=\"Havnen\""))
            #expect(page.html.contains("fill=\"#ffcc00\"") && !page.html.contains("fill=\"blue\""))
            #expect(desk.services.takeSent().filter { $0.service == "orders" && $0.method != .GET }.isEmpty)
        }
    }

    @Test("A supervisor sets a face at the version of the form, and keeps its words; nobody else does")
    func set() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1\(Self.path)", Self.face(3))
            try desk.services.answer("orders", "PUT /v1\(Self.path)", Self.face(4))
            try desk.services.answer("orders", "DELETE /v1\(Self.path)/logo", Self.face(4))
            let ada = try await desk.browser(client, role: .supervisor)
            _ = desk.services.takeSent()
            let done = try await ada.post(Self.path, Self.fields(["dark": " ", "email": "a@b.example"]))
            #expect(done.0.status == .seeOther && done.0.headers[.location] == "\(Self.path)?done=true")
            let sent = try #require(desk.services.takeSent().first { $0.method == .PUT })
            #expect(sent.headers.first(name: "If-Match") == #""v3""#)
            let body = try JSONDecoder().decode(PutFaceBody.self, from: Data(sent.body.utf8))
            #expect(
                body
                    == PutFaceBody(
                        name: "Nordhavn", colours: .init(light: "#0a6b70", dark: nil),
                        contact: StoreContact(email: "a@b.example"), words: Self.words))
            #expect(try await ada.get("\(Self.path)?done=true").html.contains("It is set."))
            let removed = try await ada.post(Self.path, Self.fields([:], do: "remove-logo"))
            #expect(removed.0.status == .seeOther)
            #expect(desk.services.takeSent().contains { $0.method == .DELETE && $0.path.hasSuffix("/face/logo") })
            for role in [OperatorScope.viewer, .dispatcher] {
                let other = try await desk.browser(client, as: "bo", role: role)
                #expect(try await other.post(Self.path, Self.fields([:])).0.status == .forbidden)
            }
            #expect(!desk.services.takeSent().contains { $0.method == .PUT })
        }
    }

    @Test("A refused form is there again with what was written, and one of an older version shows the present face")
    func refused() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1\(Self.path)", Self.face(3))
            let fault = ProblemByTest.Fault(path: "colours.light", message: "has a contrast of 1.37:1 to #f4f4f1")
            let problem = ProblemByTest("malformed", title: "The request is malformed", errors: [fault])
            try desk.services.refuse("orders", "PUT /v1\(Self.path)", with: problem, status: 400)
            let ada = try await desk.browser(client, role: .supervisor)
            let refused = try await ada.post(Self.path, Self.fields(["light": "#ffcc00", "phone": "1 2 3"]))
            #expect(refused.0.status == .badRequest)
            #expect(refused.html.contains("colours.light has a contrast of 1.37:1"))
            #expect(refused.html.contains("value=\"#ffcc00\"") && refused.html.contains("value=\"1 2 3\""))
            try desk.services.answer("orders", "/v1\(Self.path)", Self.face(4, name: "Third"))
            try desk.services.refuse("orders", "PUT /v1\(Self.path)", with: .stale, status: 412)
            let late = try await ada.post(Self.path, Self.fields([:]))
            #expect(late.0.status == .preconditionFailed && late.html.contains("value=\"Third\""))
            #expect(late.html.contains("name=\"version\" value=\"4\""))
        }
    }
}
