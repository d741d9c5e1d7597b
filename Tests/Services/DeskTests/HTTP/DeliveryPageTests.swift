import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Desk

@Suite("A delivery's page", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct DeliveryPageTests {
    private static let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute, at: SampleDeliveries.at(12))
    private static var path: String { "/deliveries/\(delivery.id)" }

    @Test("It is read from all three services in the reader's own name, and has the card that phones should show")
    func read() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            try desk.services.answer(
                "courier-eta", "/v1/estimates/\(Self.delivery.id)", SampleTimeline.estimate(arriving: 40))
            let page = try await ada.get(Self.path)
            #expect(page.0.status == .ok)
            for part in ["A-1043", "Mira is on the way", "Change the courier", "most likely between"] {
                #expect(page.html.contains(part), "\(part)")
            }
            #expect(!page.html.contains("Send the cards again"), "that takes a supervisor")
            #expect(page.html.contains("content=\"120; url=\(Self.path)?reload=true\""), "it has a note to type")
            let sent = desk.services.takeSent()
            #expect(Set(sent.map(\.service)) == ["orders", "courier-eta", "activity-dispatch"])
            for request in sent {
                let token = try #require(request.headers.first(name: "Authorization")).dropFirst("Bearer ".count)
                let payload = try #require(token.split(separator: ".").dropFirst().first)
                let padded = payload.replacing("-", with: "+").replacing("_", with: "/")
                let data = try #require(
                    Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
                let text = String(decoding: data, as: UTF8.self)
                #expect(text.contains(#""sub":"ada""#) && text.contains(#""scope":"dispatcher""#), "\(request.path)")
            }
        }
    }

    @Test("An arrival that has passed, or is of the way to the door, is expected no more")
    func passedArrival() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let atDoor: [DeliveryChange] = SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil)]
            for (changes, minutes, isExpected) in [
                (SampleDeliveries.toEnRoute, 40, true), (SampleDeliveries.toEnRoute, 9, false), (atDoor, 40, false),
            ] as [([DeliveryChange], Double, Bool)] {
                let delivery = SampleDeliveries.whole(changes, at: SampleDeliveries.at(12))
                try desk.services.know(delivery)
                try desk.services.answer(
                    "courier-eta", "/v1/estimates/\(delivery.id)", SampleTimeline.estimate(arriving: minutes))
                let page = try await ada.get("/deliveries/\(delivery.id)").html
                #expect(page.contains("most likely between") == isExpected, "\(delivery.status.code), \(minutes)")
            }
        }
    }

    @Test("Its page offers changes of items until pickup, and none of them later")
    func items() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let picking: [DeliveryChange] = [.status(.accepted, reason: nil), .status(.picking, reason: nil)]
            let delivered: [DeliveryChange] = SampleDeliveries.toEnRoute + [.status(.delivered, reason: nil)]
            for (changes, isOffered) in [(picking, true), (SampleDeliveries.toEnRoute, false), (delivered, false)] {
                let delivery = SampleDeliveries.whole(changes, at: SampleDeliveries.at(12))
                try desk.services.know(delivery)
                let page = try await ada.get("/deliveries/\(delivery.id)").html
                #expect(page.contains("/change/status\""))
                for kind in ["item", "add-item"] {
                    #expect(page.contains("/change/\(kind)\"") == isOffered, "\(kind) of \(delivery.status.code)")
                }
            }
        }
    }

    @Test("What has ended a supervisor reopens by the form of the status, for which a dispatcher has no button")
    func reopening() async throws {
        try await DeskUnderTest.run { desk, client in
            let returned: [DeliveryChange] =
                SampleDeliveries.toEnRoute + [.status(.returning, reason: nil), .status(.returned, reason: nil)]
            let delivery = SampleDeliveries.whole(returned, at: SampleDeliveries.at(12))
            let path = "/deliveries/\(delivery.id)"
            for (role, isOffered) in [(OperatorScope.dispatcher, false), (.supervisor, true)] {
                let reader = Principal(.operator("ada"), scope: TokenScope(operator: role))
                try desk.services.know(delivery, for: reader)
                let ada = try await desk.browser(client, role: role)
                #expect(try await ada.get(path).html.contains("/change/status\"") == isOffered, "\(role)")
                let form = try await ada.get(path + "/change/status").html
                #expect(form.contains("<option value=\"en_route\"") == isOffered, "\(role)")
            }
        }
    }

    @Test("A substitute is beside its item while it is offered or packed, and not after the customer refused it")
    func substitutes() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let milk: ItemID = SampleDeliveries.id("milk")
            let oats = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 0)
            let asked: [DeliveryChange] = [
                .status(.accepted, reason: nil), .status(.picking, reason: nil),
                .item(milk, .proposed(oats, answerUntil: SampleDeliveries.at(20))),
            ]
            for (answer, isShown) in [(nil, true), (true, true), (false, false)] as [(Bool?, Bool)] {
                let answers = answer.map { [DeliveryChange.answer(milk, proposal: 1, isApproved: $0)] } ?? []
                let delivery = SampleDeliveries.whole(asked + answers, at: SampleDeliveries.at(12))
                try desk.services.know(delivery)
                let page = try await ada.get("/deliveries/\(delivery.id)").html
                #expect(page.contains("→ <bdi>2 × Oat milk</bdi>") == isShown, "answered \(String(describing: answer))")
                #expect(page.contains("2 × Milk, 0 in the bag") == !isShown)
                #expect(!page.contains("not asked"))
            }
            let dearer = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 900)
            let packed: [DeliveryChange] = [
                .answer(milk, proposal: 1, isApproved: true), .item(milk, .substituted(dearer)),
            ]
            let delivery = SampleDeliveries.whole(asked + packed, at: SampleDeliveries.at(12))
            try desk.services.know(delivery)
            let page = try await ada.get("/deliveries/\(delivery.id)").html
            #expect(page.contains("substituted, not asked") && page.contains("→ <bdi>2 × Oat milk</bdi>"))
        }
    }

    @Test("The owner and the note are part of what follows by itself, and the form of both is not")
    func liveTriage() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            let reader = PageStreamsTests.reader(1, role: .dispatcher)
            let slot = try #require(desk.streams.open(.delivery(Self.delivery.id), for: reader))
            var stream = DeliveryStream(id: Self.delivery.id, reader: reader, http: desk.parts.pages, slot: slot)
            let first = try await stream.next()?.first?.data ?? ""
            #expect(first.contains("No owner yet.") && !first.contains("<textarea"))
            _ = try await ada.post(Self.path + "/triage", [("verb", "own"), ("version", "0")])
            #expect(await slot.signal.next() == .events)
            let owned = try await stream.next()?.first?.data ?? ""
            #expect(owned.contains("Owner: <bdi title=\"ada\">ada</bdi>."))
        }
    }

    private static func answerNumbers(_ desk: DeskUnderTest) throws {
        let row = ContactsBody.Row(
            delivery: delivery.id,
            customer: .init(name: "Mette Holm", phone: "+45 20 12 34 56", url: "tel:+4520123456"),
            courier: .init(name: "Mira", phone: "+4520123457", url: "tel:+4520123457"),
            carrier: .init(name: "Ali", phone: "+4520123458", url: "tel:+4520123458"))
        try desk.services.answer("orders", "/v1/contacts", ContactsBody(contacts: [row]))
    }

    @Test("Who may change it calls its people from the page, and a viewer's page asks for no number")
    func numbers() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.know(Self.delivery)
            try Self.answerNumbers(desk)
            let page = try await desk.browser(client).get(Self.path).html
            for part in [
                "href=\"tel:+4520123456\"", "href=\"tel:+4520123457\"", "Mette Holm, +45 20 12 34 56",
                "id=\"call-carrier\" href=\"tel:+4520123458\"",
            ] {
                #expect(page.contains(part), "\(part)")
            }
            let viewer = try await desk.browser(client, as: "vi", role: .viewer)
            _ = desk.services.takeSent()
            let seen = try await viewer.get(Self.path).html
            #expect(!seen.contains("tel:") && seen.contains("content=\"20; url=\(Self.path)?reload=true\""))
            #expect(try await viewer.post(Self.path + "/call/customer", []).0.status == .forbidden)
            #expect(!desk.services.takeSent().contains { $0.path.hasPrefix("/v1/contacts") })
        }
    }

    @Test("Who may change it sees a photo by itself, with a type that no browser runs, and a viewer none")
    func image() async throws {
        try await DeskUnderTest.run { desk, client in
            let hash = String(repeating: "a1", count: 32)
            let delivery = SampleDeliveries.whole(
                SampleDeliveries.toEnRoute + [.image(.photo, hash)], at: SampleDeliveries.at(12),
                proof: DeliveryProof(required: [.photo]))
            let photo = "/deliveries/\(delivery.id)/images/\(hash)"
            try desk.services.know(delivery)
            let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
            desk.services.answer("orders", "/v1\(photo)", bytes: bytes, type: "image/jpeg")
            let ada = try await desk.browser(client)
            #expect(try await ada.get("/deliveries/\(delivery.id)").html.contains("formaction=\"\(photo)\""))
            let shown = try await ada.post(photo, []).0
            #expect(shown.status == .ok && Array(shown.body.readableBytesView) == bytes)
            #expect(shown.headers[.contentType] == "image/jpeg" && shown.headers[.xContentTypeOptions] == "nosniff")
            #expect(shown.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(try await ada.post(photo, [], from: "https://elsewhere.example").0.status == .forbidden)
            #expect(try await ada.post("/deliveries/\(delivery.id)/images/other", []).0.status == .notFound)
            desk.services.answer("orders", "/v1\(photo)", bytes: Array("<script>".utf8), type: "text/html")
            #expect(try await ada.post(photo, []).0.status == .serviceUnavailable)
            let viewer = try await desk.browser(client, as: "vera", role: .viewer)
            #expect(try await !viewer.get("/deliveries/\(delivery.id)").html.contains(photo))
            #expect(try await viewer.post(photo, []).0.status == .forbidden)
        }
    }

    @Test("A row where a call is next leads to the number: the customer's after a visit, a silent courier's")
    func calls() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try Self.answerNumbers(desk)
            // Programs load links that nobody has pressed, and other sites send forms.
            #expect(try await ada.get(Self.path + "/call/courier").0.status != .seeOther)
            let foreign = try await ada.post(Self.path + "/call/courier", [], from: "https://elsewhere.example")
            #expect(foreign.0.status == .forbidden)
            #expect(!desk.services.takeSent().contains { $0.path.hasPrefix("/v1/contacts") })
            let called = try await ada.post(Self.path + "/call/courier", []).0
            #expect(called.status == .seeOther && called.headers[.location] == "tel:+4520123457")
            #expect(desk.services.takeSent().contains { $0.path == "/v1/contacts?ids=\(Self.delivery.id)&of=courier" })
            let carrier = try await ada.post(Self.path + "/call/carrier", []).0
            #expect(carrier.status == .seeOther && carrier.headers[.location] == "tel:+4520123458")
            #expect(desk.services.takeSent().contains { $0.path == "/v1/contacts?ids=\(Self.delivery.id)&of=carrier" })
            #expect(try await ada.post(Self.path + "/call/neighbour", []).0.status == .notFound)
        }
        func html(_ changes: [DeliveryChange], proof: DeliveryProof? = nil) -> String {
            let row = ServicesByTest.row(SampleDeliveries.whole(SampleDeliveries.toEnRoute + changes, proof: proof))
            let entry = Board.Entry(row: row, triage: .none, lane: .needsYou, revision: 1)
            return BoardRowValues(entry: entry, now: SampleDeliveries.at(12)).html
        }
        let attempted = html([.status(.atDoor, reason: nil), .status(.attempted, reason: "x")])
        #expect(attempted.contains("/call/customer") && attempted.contains("the customer"))
        #expect(html([.milestone(.silent, assignmentEpoch: 1)]).contains("/call/courier"))
        #expect(!html([]).contains("/call/"))
        let undecided = html([.proofDecision], proof: DeliveryProof(required: [.photo]))
        #expect(undecided.contains("/call/courier") && undecided.contains("proof missing"))
        let handedOver = html([.handedOverUnconfirmed], proof: DeliveryProof(required: [.photo]))
        #expect(handedOver.contains("/call/customer") && handedOver.contains("hand-over to be confirmed"))
        let held = html([.hold(reason: "the <street> is closed")])
        #expect(held.contains("on hold: the &lt;street&gt; is closed") && held.contains("<bdi>Nordhavn</bdi>"))
    }

    @Test("A service that is away is named, with since when and what is old, and the rest is shown")
    func away() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            try desk.services.know(Self.delivery)
            desk.services.set(away: ["courier-eta", "activity-dispatch"])
            let page = try await ada.get(Self.path)
            #expect(page.0.status == .ok && page.html.contains("A-1043"))
            #expect(page.html.contains("courier-eta does not answer since "))
            #expect(page.html.contains("The state of customers&#39; cards may be old."))
            desk.services.set(away: [])
            #expect(try await !ada.get(Self.path).html.contains("does not answer"))

            desk.services.set(away: ["orders"])
            let change = try await ada.get(Self.path + "/change/hold")
            #expect(change.0.status == .serviceUnavailable && change.html.contains("nothing can be changed"))
        }
    }

    @Test("Names with markup and in both directions stay text")
    func hostileNames() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let evil = Courier(
                id: SampleDeliveries.id("evil"), name: "<script>alert(1)</script>\u{202E}gro", vehicle: .bicycle,
                phone: nil)
            let delivery = SampleDeliveries.whole([.status(.accepted, reason: "<img src=x>"), .courier(evil)])
            try desk.services.know(
                delivery,
                entries: [
                    .init(
                        at: SampleDeliveries.at(1), version: 1, kind: "status", what: "<b>x</b>\u{202E}",
                        by: "operator \"><svg onload=x>", reason: "'")
                ])
            let page = try await ada.get("/deliveries/\(delivery.id)")
            #expect(page.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;gro"))
            for part in ["<script>alert", "<svg onload", "<b>x", "\u{202E}"] {
                #expect(!page.html.contains(part), "\(part)")
            }
        }
    }

    @Test("Who sees to it is kept with a version: the slower of two is shown what the faster did")
    func triage() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.know(Self.delivery)
            let ada = try await desk.browser(client)
            let bo = try await desk.browser(client, as: "bo")
            #expect(
                try await ada.post(Self.path + "/triage", [("verb", "own"), ("version", "0")]).0.status == .seeOther)
            let late = try await bo.post(Self.path + "/triage", [("verb", "note"), ("version", "0"), ("note", "Bell")])
            #expect(late.0.status == .conflict)
            #expect(late.html.contains("owner ada") && late.html.contains("“Bell”"))
            #expect(late.html.contains("Another operator was faster"))
            let own = try await ada.post(Self.path + "/triage", [("verb", "snooze"), ("version", "0")])
            #expect(own.0.status == .conflict && own.html.contains("You have changed it since you opened the page"))
            let note = try await bo.post(
                Self.path + "/triage", [("verb", "note"), ("version", "1"), ("note", "Ring <twice>")])
            #expect(note.0.status == .seeOther)
            let page = try await ada.get(Self.path)
            #expect(page.html.contains("Ring &lt;twice&gt;") && page.html.contains("Give up ownership"))
            let tooLong = try await bo.post(
                Self.path + "/triage",
                [("verb", "note"), ("version", "2"), ("note", String(repeating: "x", count: 501))])
            #expect(tooLong.0.status == .unprocessableContent)
        }
    }

    @Test("A stored note that is longer than a form's may be hinders no change of the owner")
    func longNote() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            var triage = Triage.none
            triage.note = String(repeating: "x", count: Triage.noteCharactersMax + 3)
            (triage.changedBy, triage.changedAt) = ("bob", SampleDeliveries.at(12))
            _ = try await TriageRepository.set(triage, of: Self.delivery.id, inPlaceOf: 0, on: desk.pool)
            let value = "\(Self.delivery.id) \(Self.delivery.version) triage=1"
            #expect(try await ada.post("/bulk", [("kind", "own"), ("delivery", value)]).0.status == .seeOther)
            let disowned = try await ada.post(Self.path + "/triage", [("verb", "disown"), ("version", "2")])
            #expect(disowned.0.status == .seeOther)
            let owned = try await ada.post(Self.path + "/triage", [("verb", "own"), ("version", "3")])
            #expect(owned.0.status == .seeOther)
            let stored = try await TriageRepository.triage(of: [Self.delivery.id], on: desk.pool)[Self.delivery.id]
            #expect(stored?.owner?.subject == "ada" && stored?.note == triage.note)
        }
    }
}
