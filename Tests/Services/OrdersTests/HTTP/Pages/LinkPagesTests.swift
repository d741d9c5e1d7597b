import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WebPages

@testable import Orders

@Suite("Customers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct LinkPagesTests {
    /// A page as a browser has it: its link, and the cookie that it keeps.
    private struct Reader {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        var path: String
        var cookie: String?

        func get(_ headers: [String: String] = [:], path: String? = nil) async throws -> (TestResponse, html: String) {
            var headers = headers.merging(["Accept": "text/html"]) { $1 }
            headers["Cookie"] = cookie
            let answer = try await orders.send(
                client, .get, path ?? self.path, as: nil, "", NoBody?.none, headers)
            return (answer, String(buffer: answer.body))
        }

        /// Sends a form of the page.
        func post(
            _ path: String, _ fields: String = "", _ headers: [String: String] = ["Origin": OrdersUnderTest.origin]
        ) async throws -> TestResponse {
            var all: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            if let cookie { all[.cookie] = "other=1; \(cookie)" }
            for (name, value) in headers { all[try #require(HTTPField.Name(name))] = value }
            return try await client.execute(
                uri: path, method: .post, headers: all, body: ByteBuffer(string: fields))
        }

        /// Gives the order's number, and keeps the cookie.
        mutating func prove(_ reference: String = "G-1042") async throws {
            let answer = try await post(path + "/proof", "reference=\(reference)")
            #expect(answer.status == .seeOther && answer.headers[.location] == path)
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-order-"))
            #expect(cookie.hasSuffix("; Path=/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure"))
            self.cookie = String(cookie.prefix { $0 != ";" })
        }

        /// The paths of the page's forms whose button has this id.
        func action(of button: String) async throws -> String {
            let html = try await get().html
            let part = try #require(html.components(separatedBy: "<button id=\"\(button)\"").first)
            let action = try #require(part.components(separatedBy: "action=\"").last)
            return String(action.prefix { $0 != "\"" })
        }
    }

    /// A delivery in picking with a question about its milk, and its page by a link that a shop texted.
    private func withPage(
        _ body: @escaping @Sendable (inout Reader, DeliveryID) async throws -> Void
    ) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            _ = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: "<i>Oat</i> milk")))
            let path = try await orders.viewLink(of: id, client)
            var reader = Reader(orders: orders, client: client, path: path)
            try await body(&reader, id)
        }
    }

    private func delivery(_ id: DeliveryID, _ reader: Reader) async throws -> Delivery {
        try #require(try await OrderRepository.delivery(id, on: reader.orders.pool)).delivery
    }

    @Test("The link alone shows the card and the items, without the order's number and without a button")
    func shows() async throws {
        try await withPage { reader, id in
            let before = try await self.delivery(id, reader).version
            let (answer, html) = try await reader.get()
            #expect(answer.status == .ok && answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(html.contains("&lt;i&gt;Oat&lt;/i&gt; milk instead of Milk?") && !html.contains("<i>Oat"))
            #expect(!html.contains("G-1042") && !html.contains("answer-0-") && !html.contains("do-cancel"))
            #expect(html.contains("action=\"\(reader.path)/proof\""))
            let image = PageAsset.preview.path
            #expect(html.contains("<meta property=\"og:image\" content=\"\(OrdersUnderTest.origin)\(image)\">"))
            let json: LinkBody = try await reader.orders.send(reader.client, .get, reader.path, as: nil).decode()
            #expect(json.attributes.reference == nil && !json.message.contains("G-1042"))
            #expect(try await self.delivery(id, reader).version == before)
        }
    }

    @Test("A page is in the reader's language", arguments: [("da-DK, en;q=0.5", "Dine varer"), ("fi", "Your items")])
    func language(accepted: String, words: String) async throws {
        try await withPage { reader, _ in
            let html = try await reader.get(["Accept-Language": accepted]).html
            #expect(html.contains(words))
        }
    }

    @Test("Whoever gave the order's number may answer, once; another press of it changes nothing")
    func answers() async throws {
        try await withPage { reader, id in
            try await reader.prove("%23g-1042+")
            let action = try await reader.action(of: "answer-0-approve-substitution")
            for _ in 0..<2 {
                let answer = try await reader.post(action)
                #expect(answer.status == .seeOther && answer.headers[.location] == action)
            }
            let delivery = try await self.delivery(id, reader)
            #expect(delivery.items[0].status == .substituted)
            let timeline = try await OrderRepository.timeline(id, on: reader.orders.pool)
            #expect(timeline.count { $0.by == "customer mette" } == 1)
            let html = try await reader.get(path: action).html
            #expect(html.contains("comes instead of Milk"))
        }
    }

    @Test("An open question is above everything else with its deadline, and a page asks for the number once")
    func questionFirst() async throws {
        try await withPage { reader, _ in
            func place(of id: String, in html: String) throws -> String.Index {
                try #require(html.range(of: "id=\"\(id)\"")).lowerBound
            }
            let html = try await reader.get().html
            let places = try ["question", "proof", "about", "items"].map { try place(of: $0, in: html) }
            #expect(places == places.sorted() && html.contains("Answer by "))
            #expect(html.contains("To answer, give your order&#39;s number"))
            try await reader.prove("1042")
            let proven = try await reader.get().html
            #expect(try place(of: "answer-0-approve-substitution", in: proven) < place(of: "about", in: proven))
            let part = try #require(proven.components(separatedBy: "id=\"do-cancel\" href=\"").last)
            var unproven = reader
            unproven.cookie = nil
            let asked = try await unproven.get(path: String(part.prefix { $0 != "\"" })).html
            #expect(asked.components(separatedBy: "name=\"reference\"").count == 2)
        }
    }

    @Test("Whoever gave the order's number reads the address and the note, and goes on to the order's other bag")
    func more() async throws {
        try await OrdersUnderTest.run { orders, client in
            let plain = try orders.body(bags: 2)
            let order = PlaceOrderBody(
                reference: plain.reference, customer: plain.customer, store: plain.store, promise: plain.promise,
                door: plain.door, address: Address(street: "Århusgade 12"), note: "Mind the dog", handoff: nil,
                deliveries: plain.deliveries)
            let placed = try await orders.place(client, order).deliveries
            let path = try await orders.viewLink(of: placed[0].id, client)
            var reader = Reader(orders: orders, client: client, path: path)
            let alone = try await reader.get().html
            #expect(alone.contains("Will be handed to you") && alone.contains("Promised: "))
            for part in ["Århusgade", "Mind the dog", "id=\"bag-"] { #expect(!alone.contains(part), "\(part)") }
            try await reader.prove()
            let html = try await reader.get().html
            #expect(html.contains("Address: Århusgade 12") && html.contains("Note to the courier: Mind the dog"))
            let part = try #require(html.components(separatedBy: "id=\"bag-2\" href=\"").last)
            let other = try await reader.get(path: String(part.prefix { $0 != "\"" })).html
            #expect(other.contains("id=\"bag-1\"") && other.contains("Address: Århusgade 12"))
            // However late the other one is, while it is live.
            reader.orders.clock.advance(by: 27 * 3_600)
            try await reader.prove()
            #expect(try await reader.get().html.contains("id=\"bag-2\""))
        }
    }

    @Test("Leaving at the door is on the page, and can be taken back there")
    func withdrawn() async throws {
        try await withPage { reader, id in
            try await reader.prove()
            let leave = try await reader.action(of: "do-leave-at-door")
            #expect(try await reader.post(leave).status == .seeOther)
            #expect(try await reader.get().html.contains("Will be left at your door"))
            #expect(try await reader.get(path: leave).html.contains("It will be left at the door."))
            let back = try await reader.action(of: "do-hand-to-me")
            #expect(try await reader.post(back).status == .seeOther)
            #expect(try await self.delivery(id, reader).handoff.method == .handToCustomer)
            #expect(try await reader.get(path: back).html.contains("It will be handed to you."))
            #expect(try await !reader.get(path: leave).html.contains("It will be left at the door."))
            #expect(try await reader.action(of: "do-leave-at-door") != leave)
        }
    }

    @Test("Two browsers that press at once change it once, and both are shown what became of it")
    func atOnce() async throws {
        try await withPage { reader, id in
            try await reader.prove()
            let actions = [
                try await reader.action(of: "answer-0-approve-substitution"),
                try await reader.action(of: "answer-0-refuse-substitution"),
            ]
            let before = try await self.delivery(id, reader).version
            let pressing = reader
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for index in 0..<10 {
                    group.addTask { try await pressing.post(actions[index % 2]).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(statuses) == [.seeOther])
            #expect(try await self.delivery(id, reader).version == before + 1)
        }
    }

    @Test("To cancel is asked about on a page of its own; the number may come with the press")
    func cancels() async throws {
        try await withPage { reader, id in
            try await reader.prove()
            let page = try await reader.get().html
            let part = try #require(page.components(separatedBy: "id=\"do-cancel\" href=\"").last)
            let cancel = String(part.prefix { $0 != "\"" })
            var unproven = reader
            unproven.cookie = nil
            let asked = try await unproven.get(path: cancel).html
            #expect(asked.contains("Cancel this delivery?") && asked.contains("name=\"reference\""))
            #expect(try await self.delivery(id, reader).status.code == .picking)
            // Without a number nothing is guessed, however often.
            for _ in 0...ProveOrder.attemptsMax {
                let refused = try await unproven.post(cancel)
                #expect(refused.status == .unprocessableContent)
                #expect(String(buffer: refused.body).contains("order&#39;s number first"))
            }
            #expect(try await self.delivery(id, reader).status.code == .picking)
            let answer = try await unproven.post(cancel, "reference=G-1042")
            #expect(answer.status == .seeOther && answer.headers[.setCookie] != nil)
            #expect(try await self.delivery(id, reader).status.code == .cancelled)
        }
    }

    @Test("A press that comes too late changes nothing, and its page says so")
    func tooLate() async throws {
        try await withPage { reader, id in
            try await reader.prove()
            let leave = try await reader.action(of: "do-leave-at-door")
            try await reader.orders.set(.cancelled, id, reader.client)
            let version = try await self.delivery(id, reader).version
            #expect(try await reader.post(leave).status == .seeOther)
            #expect(try await self.delivery(id, reader).version == version)
            let html = try await reader.get(path: leave).html
            #expect(html.contains("cannot be changed any more") && !html.contains("<form"))
        }
    }

    @Test(
        "Five wrong numbers of an address in an hour are taken, from all links and browsers together; then none until it is over"
    )
    func guesses() async throws {
        try await withPage { reader, _ in
            for left in ["4 tries are", "3 tries are", "2 tries are", "1 try is", "No try is"] {
                let answer = try await reader.post(reader.path + "/proof", "reference=G-1041")
                #expect(answer.status == .unprocessableContent && answer.headers[.setCookie] == nil)
                #expect(String(buffer: answer.body).contains("\(left) left"), "\(left)")
            }
            let locked = try await reader.post(reader.path + "/proof", "reference=G-1042")
            #expect(locked.status == .tooManyRequests && String(buffer: locked.body).contains("Too many wrong numbers"))
            reader.orders.clock.advance(by: 3_600)
            try await reader.prove()
            let again = try await reader.post(reader.path + "/proof", "reference=wrong")
            #expect(again.status == .unprocessableContent)
        }
    }

    @Test("Many guesses at once are counted one by one")
    func guessesAtOnce() async throws {
        try await withPage { reader, _ in
            let guessing = reader
            let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for number in 0..<20 {
                    group.addTask { try await guessing.post(guessing.path + "/proof", "reference=\(number)").status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == .unprocessableContent } == ProveOrder.attemptsMax)
        }
    }

    @Test(
        "A form that another site sent changes nothing",
        arguments: [
            ["Origin": "https://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
            ["Origin": "https://go.nordhavn.example", "Sec-Fetch-Site": "same-site"],
        ])
    func foreign(headers: [String: String]) async throws {
        try await withPage { reader, id in
            try await reader.prove()
            let leave = try await reader.action(of: "do-leave-at-door")
            let version = try await self.delivery(id, reader).version
            let answer = try await reader.post(leave, "", headers)
            #expect(answer.status == .forbidden)
            #expect(try await self.delivery(id, reader).version == version)
        }
    }

    @Test("The proof of one order is none of another, nor when it has expired or was changed")
    func proofs() async throws {
        try await withPage { reader, _ in
            try await reader.prove()
            let proven = try await reader.get().html
            #expect(proven.contains("do-leave-at-door"))
            let good = try #require(reader.cookie)
            let other = try await reader.orders.place(
                reader.client, try reader.orders.body(reference: "G-2000")
            ).deliveries[0]
            let path = try await reader.orders.viewLink(of: other.id, reader.client)
            let foreign = try await reader.get(path: path).html
            #expect(!foreign.contains("do-leave-at-door") && foreign.contains("/proof"))
            // Its last six bits are of the signature.
            let last = good.hasSuffix("A") ? "Q" : "A"
            for forged in [good.dropLast(1) + last, good.dropLast(4) + "____"] {
                reader.cookie = String(forged)
                let html = try await reader.get().html
                #expect(!html.contains("do-leave-at-door"), "\(forged)")
            }
            reader.cookie = good
            reader.orders.clock.advance(by: 43_199)
            #expect(try await reader.get().html.contains("do-leave-at-door"))
            reader.orders.clock.advance(by: 1)
            let expired = try await reader.get().html
            #expect(!expired.contains("do-leave-at-door"))
        }
    }

    @Test("Whoever has no good link is shown why, on a page")
    func refusals() async throws {
        try await withPage { reader, id in
            // Of a signature with another end.
            let forged = reader.path.dropLast(4) + (reader.path.hasSuffix("AAAA") ? "____" : "AAAA")
            let (missing, _) = try await reader.get(path: String(forged))
            #expect(missing.status == .notFound && missing.headers[.contentType]?.hasPrefix("text/html") == true)
            _ = try await reader.orders.send(
                reader.client, .delete, "/v1/deliveries/\(id)/view-link", as: .store, "nordhavn")
            let (revoked, html) = try await reader.get()
            #expect(revoked.status == .gone && html.contains("The store has revoked this link"))
            #expect(try await reader.post(reader.path + "/proof", "reference=G-1042").status == .gone)
            let events = try await reader.orders.send(reader.client, .get, reader.path + "/events", as: nil)
            #expect(events.status == .ok && String(buffer: events.body) == "event: over\ndata: \n\n")
        }
    }
}
