import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Couriers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierPagesTests {
    /// A courier's page as a browser has it.
    private struct Reader {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let path: String
        let id: DeliveryID

        func get(_ query: String = "", _ headers: [String: String] = [:]) async throws -> (TestResponse, html: String) {
            let answer = try await orders.send(
                client, .get, path + query, as: nil, "", NoBody?.none,
                headers.merging(["Accept": "text/html"]) { own, _ in own })
            return (answer, String(buffer: answer.body))
        }

        /// Sends a form, as a page without scripts does.
        func post(
            _ path: String, _ fields: [String: String] = [:],
            _ headers: [String: String] = ["Origin": OrdersUnderTest.origin, "Accept": "text/html"]
        ) async throws -> TestResponse {
            var all: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            for (name, value) in headers { all[try #require(HTTPField.Name(name))] = value }
            let body = fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            return try await client.execute(
                uri: path, method: .post, headers: all, body: ByteBuffer(string: body.joined(separator: "&")))
        }

        func press(_ action: String, id press: UUID = UUID(), held: String = "0") async throws -> TestResponse {
            try await post(
                path + "/presses",
                ["press": press.uuidString, "delivery": id.rawValue, "action": action, "held": held],
                ["Accept": "application/json"])
        }

        func delivery() async throws -> Delivery {
            try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
        }
    }

    /// A staged delivery of Mira's with a whole address, and her page.
    private func withPage(_ body: @escaping @Sendable (Reader) async throws -> Void) async throws {
        try await OrdersUnderTest.run { orders, client in
            let plain = try orders.body()
            let contacted = try orders.body(contact: StoreContact(phone: "+45 33 12 34 56"))
            let order = PlaceOrderBody(
                reference: plain.reference, customer: plain.customer, store: contacted.store, promise: plain.promise,
                door: plain.door, recipient: Recipient(name: "Mette <b>Holm</b>", phone: "+45 20 30 40 50"),
                address: Address(
                    street: "Århusgade 12", floor: "3. tv", postalCode: "2100", city: "København", doorCode: "1907#"),
                note: "The dog is <i>kind</i>", handoff: nil, deliveries: plain.deliveries)
            let placed = try await orders.place(client, order).deliveries[0]
            try await orders.set([.accepted, .picking, .staged], placed.id, client)
            try await orders.assign("mira", placed.id, client)
            let link: CourierLinkBody =
                try await orders.send(client, .post, "/v1/couriers/mira/link", as: .operator, "ada").decode()
            #expect(link.courier.rawValue == "mira" && link.url.hasPrefix(OrdersUnderTest.origin + "/c/"))
            try await body(
                Reader(
                    orders: orders, client: client, path: OrdersUnderTest.path(of: link.url), id: placed.id))
        }
    }

    @Test("The page has what is needed at the door, and a button for what comes next; reading changes nothing")
    func shows() async throws {
        try await withPage { reader in
            let before = try await reader.delivery().version
            try await reader.orders.set(.pickedUp, reader.id, reader.client)
            let (answer, html) = try await reader.get()
            #expect(answer.status == .ok && answer.headers[.contentType] == "text/html; charset=utf-8")
            for part in [
                "Århusgade 12, 2100 København", "3. tv", "1907#", "Mette &lt;b&gt;Holm", "dog is &lt;i&gt;kind",
                "href=\"tel:+4520304050\"", "href=\"geo:55.6916,12.583?q=55.6916,12.583\"", "G-1042",
                "value=\"at_door\"", "value=\"problem:no_access\"",
            ] { #expect(html.contains(part), "\(part)") }
            #expect(!html.contains("<b>Holm") && !html.contains("<i>kind"))
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            #expect(policy.contains("connect-src 'self' https://couriers.nordhavn.example;"))
            #expect(answer.headers[HTTPField.Name("Permissions-Policy")!]?.contains("geolocation=(self)") == true)
            #expect(try await reader.delivery().version == before + 1)
            let apple = try await reader.get("", ["User-Agent": "Mozilla/5.0 (iPhone; CPU)"]).html
            #expect(apple.contains("href=\"maps:?daddr=55.6916,12.583\""))
            let danish = try await reader.get("", ["Accept-Language": "da"]).html
            #expect(danish.contains("Jeg er ved døren") && danish.contains("<html lang=\"da\" dir=\"ltr\">"))
        }
    }

    @Test("Who opens and where is on the page while the delivery is live, and not after its end")
    func ended() async throws {
        try await withPage { reader in
            for action in ["picked_up", "at_door", "handed_over"] {
                #expect(try await reader.press(action, held: "10").status == .ok)
            }
            #expect(try await reader.delivery().status == .handedOver(.delivered))
            let html = try await reader.get().html
            #expect(html.contains("G-1042 · Handed over") && html.contains("Nothing to deliver right now"))
            #expect(html.contains("href=\"tel:+4533123456\""), "the store can be called about what was pressed wrongly")
            #expect(!html.contains("Århusgade") && !html.contains("1907#") && !html.contains("Holm"))
            reader.orders.clock.advance(by: 43_199)
            #expect(try await reader.get().html.contains("G-1042"))
            reader.orders.clock.advance(by: 1)
            #expect(try await !reader.get().html.contains("G-1042"))
        }
    }

    @Test("A press that was refused, since the delivery had ended otherwise, is named beside that end")
    func refusedAfterEnd() async throws {
        try await withPage { reader in
            let orders = reader.orders
            for action in ["picked_up", "at_door"] { _ = try await reader.press(action, held: "10") }
            #expect(try await reader.press("nobody_home").status == .ok)
            try await orders.set(.delivered, reader.id, reader.client)
            #expect(try await !reader.get().html.contains("The delivery had changed."))
            orders.clock.advance(by: CourierPress.undoSeconds)
            let runner = TimerRunner(
                pool: orders.pool, clock: orders.clock.domain, handlers: TimerHandlers(change: orders.change).handlers,
                logger: .silent)
            _ = try await runner.fireDue()
            let html = try await reader.get().html
            #expect(html.contains("G-1042 · Handed over") && html.contains("The delivery had changed."))
        }
    }

    @Test("Without scripts a press is answered with the page, on which it can be undone")
    func forms() async throws {
        try await withPage { reader in
            let html = try await reader.get().html
            let part = try #require(html.components(separatedBy: "name=\"press\" value=\"").last)
            let press = String(part.prefix { $0 != "\"" })
            let fields = ["press": press, "delivery": reader.id.rawValue, "action": "picked_up"]
            for _ in 0..<2 {
                let answer = try await reader.post(reader.path + "/presses", fields)
                #expect(answer.status == .seeOther && answer.headers[.location] == reader.path)
            }
            let waiting = try await reader.get().html
            #expect(waiting.contains("Pressed: Picked up.") && waiting.contains("value=\"at_door\""))
            #expect(waiting.contains("data-changes-in=\"10\""))
            let undone = try await reader.post("\(reader.path)/presses/\(press)/undo")
            #expect(undone.status == .seeOther)
            #expect(try await !reader.get().html.contains("Pressed:"))
            let refused = try await reader.post(
                reader.path + "/presses",
                ["press": UUID().uuidString, "delivery": reader.id.rawValue, "action": "handed_over"])
            #expect(refused.status == .conflict && String(buffer: refused.body).contains("not possible any more"))
        }
    }

    @Test("Bags of one store are picked up by one press and undone by one, without scripts too")
    func together() async throws {
        try await withPage { reader in
            let (orders, client) = (reader.orders, reader.client)
            let other = try await orders.place(client, try orders.body(reference: "G-1043")).deliveries[0].id
            try await orders.set([.accepted, .picking, .staged], other, client)
            try await orders.assign("mira", other, client)
            let html = try await reader.get().html
            #expect(html.contains("Picked up: all 2 · Nordhavn") && html.contains("My vehicle has broken down: all 2"))
            func value(of name: String) throws -> String {
                let part = try #require(html.components(separatedBy: "name=\"\(name)\" value=\"").dropFirst().first)
                return String(part.prefix { $0 != "\"" })
            }
            let press = try value(of: "press")
            let deliveries = try value(of: "deliveries")
            #expect(Set(deliveries.split(separator: " ").map(String.init)) == [reader.id.rawValue, other.rawValue])
            let fields = ["press": press, "deliveries": deliveries, "action": "picked_up"]
            #expect(try await reader.post(reader.path + "/presses", fields).status == .seeOther)
            let waiting = try await reader.get().html
            #expect(waiting.contains("Pressed for 2: Picked up.") && waiting.contains("Undo all 2"))
            #expect(try await reader.post("\(reader.path)/presses/\(press)/undo").status == .seeOther)
            #expect(try await !reader.get().html.contains("Pressed"))
            for text in ["x", "\(reader.id) x"] {
                let refused = try await reader.post(
                    reader.path + "/presses", ["press": press, "deliveries": text, "action": "picked_up"],
                    ["Accept": "application/json"])
                #expect(try refused.problem().errors?.map(\.path) == ["deliveries"])
            }
        }
    }

    @Test("A late stop says so in words and in colour, and a page that is not so yet is sent again")
    func late() async throws {
        try await withPage { reader in
            let html = try await reader.get().html
            #expect(html.contains("class=\"remaining\"") && !html.contains("late: was due by"))
            let shown = try #require(html.components(separatedBy: "?shown=").last).prefix { $0 != "\"" }
            reader.orders.clock.advance(by: 3_601)
            let (answer, late) = try await reader.get("?shown=\(shown)")
            #expect(answer.status == .ok)
            #expect(late.contains("class=\"remaining late\"") && late.contains("late: was due by"))
            #expect(late.contains("tint-orange"))
        }
    }

    @Test("A hand-over can be reported as a mistake from what is done, undone for ten seconds, and only once")
    func mistaken() async throws {
        try await withPage { reader in
            for action in ["picked_up", "at_door", "handed_over"] {
                #expect(try await reader.press(action, held: "10").status == .ok)
            }
            let mistaken = "id=\"mistaken-\(reader.id)\""
            #expect(try await reader.get().html.contains(mistaken))
            #expect(try await reader.press("mistaken").status == .ok)
            let waiting = try await reader.get().html
            #expect(waiting.contains("Pressed: I was wrong") && waiting.contains("id=\"undo-\(reader.id)\""))
            #expect(!waiting.contains(mistaken))
            #expect(try await reader.press("mistaken", held: "10").status == .ok)
            let reported = try await reader.get().html
            #expect(reported.contains("Reported to the shop") && !reported.contains(mistaken))
            #expect(try await reader.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("The script is answered with what became of a press, or with a problem")
    func script() async throws {
        try await withPage { reader in
            let press = UUID()
            let body: CourierPressBody = try await reader.press("picked_up", id: press).decode()
            #expect(body == CourierPressBody(press: press, state: "waiting"))
            let undone = try await reader.post(
                "\(reader.path)/presses/\(press.uuidString)/undo", [:], ["Accept": "application/json"])
            #expect(try undone.decode(CourierPressBody.self).state == "undone")
            #expect(try await reader.press("handed_over").problem().type.hasSuffix("stale-press"))
            for (name, value) in [
                ("press", "1"), ("delivery", "x"), ("action", "delivered"), ("held", "11"), ("held", "nan"),
            ] {
                var fields = ["press": UUID().uuidString, "delivery": reader.id.rawValue, "action": "picked_up"]
                fields[name] = value
                let refused = try await reader.post(reader.path + "/presses", fields, ["Accept": "application/json"])
                #expect(refused.status == .badRequest)
                #expect(try refused.problem().errors?.map(\.path) == [name])
            }
            #expect(try await reader.delivery().status == .preparing(.staged, .assigned))
        }
    }

    @Test("A page that is as its reader has it is not sent again")
    func digest() async throws {
        try await withPage { reader in
            func digest() async throws -> String {
                let html = try await reader.get().html
                let part = try #require(html.components(separatedBy: "?shown=").last)
                return String(part.prefix { $0 != "\"" })
            }
            let first = try await digest()
            #expect(try await reader.get("?shown=\(first)").0.status == .noContent)
            let press = UUID()
            _ = try await reader.press("picked_up", id: press)
            let second = try await digest()
            #expect(second != first)
            #expect(try await reader.get("?shown=\(first)").0.status == .ok)
            _ = try await reader.post("\(reader.path)/presses/\(press.uuidString)/undo")
            #expect(try await digest() != second)
        }
    }

    @Test("A press that another site has a browser send changes nothing")
    func foreign() async throws {
        try await withPage { reader in
            for headers in [["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"], ["Origin": "null"]] {
                let fields = [
                    "press": UUID().uuidString, "delivery": reader.id.rawValue, "action": "picked_up", "held": "10",
                ]
                let answer = try await reader.post(reader.path + "/presses", fields, headers)
                #expect(answer.status == .forbidden)
            }
            #expect(try await reader.delivery().status == .preparing(.staged, .assigned))
        }
    }

    @Test("A revoked link shows and presses nothing; the next one is another")
    func revoked() async throws {
        try await withPage { reader in
            let again: CourierLinkBody =
                try await reader.orders.send(reader.client, .post, "/v1/couriers/mira/link", as: .courier, "mira")
                .decode()
            #expect(again.url == OrdersUnderTest.origin + reader.path)
            let revoked: RevokedViewLinksBody =
                try await reader.orders.send(reader.client, .delete, "/v1/couriers/mira/link", as: .operator, "ada")
                .decode()
            #expect(revoked.revoked)
            let (answer, html) = try await reader.get()
            #expect(answer.status == .gone && html.contains("taken this link back") && !html.contains("G-1042"))
            #expect(try await reader.press("picked_up").status == .gone)
            let next: CourierLinkBody =
                try await reader.orders.send(reader.client, .post, "/v1/couriers/mira/link", as: .operator, "ada")
                .decode()
            #expect(next.url != again.url)
            let forged = try await reader.orders.page(reader.client, String(reader.path.dropLast(2)) + "AA")
            #expect(forged.status == .notFound && String(buffer: forged.body).contains("There is nothing here"))
        }
    }

    @Test("A courier has no other courier's link, and a token of one store has none")
    func whose() async throws {
        try await withPage { reader in
            let (orders, client) = (reader.orders, reader.client)
            for method in [HTTPRequest.Method.post, .delete] {
                let other = try await orders.send(client, method, "/v1/couriers/mira/link", as: .courier, "jonas")
                #expect(other.status == .notFound)
                let scoped = try await client.execute(
                    uri: "/v1/couriers/mira/link", method: method,
                    headers: [
                        .authorization: "Bearer \(try await orders.token(.store, "nordhavn", store: "nordhavn"))"
                    ])
                #expect(scoped.status == .notFound)
            }
            let jonas: CourierLinkBody =
                try await orders.send(client, .post, "/v1/couriers/jonas/link", as: .courier, "jonas").decode()
            let page = try await orders.page(client, OrdersUnderTest.path(of: jonas.url))
            #expect(!String(buffer: page.body).contains("G-1042"))
        }
    }
}
