import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Pressing a link", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PressLinkTests {
    @Test("Showing a link changes nothing, however often; a press needs the customer's own token")
    func showing() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let link = try Self.path(.leaveAtDoor, of: delivery)
            for _ in 0..<3 { #expect(try await orders.send(client, .get, link, as: nil).status == .ok) }
            #expect(try await orders.send(client, .post, link, as: nil).status == .unauthorized)
            #expect(try await orders.send(client, .post, link, as: .customer, "niels").status == .notFound)
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.delivery.version == 1)
        }
    }

    @Test("A repeated press gets the first response and makes no second change")
    func repeated() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let link = try Self.path(.leaveAtDoor, of: delivery)
            let first = try await orders.send(client, .post, link, as: .customer, "mette")
            let second = try await orders.send(client, .post, link, as: .customer, "mette")
            #expect(first.status == .ok && second.status == .ok && first.body == second.body)
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.delivery.version == 2 && stored.delivery.handoff.method == .leaveAtDoor)
        }
    }

    @Test("A press that is the victim of a deadlock is executed again, once")
    func deadlock() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            // A sequence keeps its number when the transaction is rolled back.
            try await orders.pool.execute("CREATE SEQUENCE attempts")
            try await orders.pool.execute(
                """
                CREATE FUNCTION lose_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF nextval('attempts') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = '40P01'; END IF;
                    RETURN NEW;
                END $$
                """)
            try await orders.pool.execute(
                "CREATE TRIGGER lost BEFORE INSERT ON link_presses FOR EACH ROW EXECUTE FUNCTION lose_first()")
            let link = try Self.path(.leaveAtDoor, of: delivery)
            #expect(try await orders.send(client, .post, link, as: .customer, "mette").status == .ok)
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.delivery.version == 2 && stored.delivery.handoff.method == .leaveAtDoor)
        }
    }

    @Test("The report of the day has a press by its verb, once, and none that only shows something")
    func reported() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            for verb in [Verb.leaveAtDoor, .leaveAtDoor, .details] {
                let link = try Self.path(verb, of: delivery)
                #expect(try await orders.send(client, .post, link, as: .customer, "mette").status == .ok)
            }
            let make = MakeDayReport(pool: orders.pool, clock: orders.clock.domain)
            let report = try #require(try await make(.today, of: delivery.store.id))
            #expect(report.presses == [DayReportBody.Press(verb: "leave-at-door", count: 1)])
            #expect(report.stores.map(\.presses) == [report.presses])
            let other = try #require(try await make(.today, of: StoreID(rawValue: "elsewhere")))
            #expect(other.presses == [])
            orders.clock.advance(by: 86_400)
            #expect(try await make(.today, of: nil)?.presses == [])
        }
    }

    @Test("Leaving at the door is taken back by a link of its own, and asked for again by another one")
    func withdrawn() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            func path(_ verb: Verb) async throws -> String {
                try await orders.link(verb.rawValue, of: id, client)
            }
            func method() async throws -> HandoffMethod? {
                try await OrderRepository.delivery(id, on: orders.pool)?.delivery.handoff.method
            }
            let leave = try await path(.leaveAtDoor)
            #expect(try await orders.send(client, .post, leave, as: .customer, "mette").status == .ok)
            let back: LinkBody =
                try await orders.send(client, .post, try await path(.handToMe), as: .customer, "mette").decode()
            #expect(back.verb == .handToMe && !back.message.isEmpty)
            #expect(try await method() == .handToCustomer)
            #expect(try await orders.send(client, .post, leave, as: .customer, "mette").status == .ok)
            #expect(try await method() == .handToCustomer, "the used link only repeats its response")
            let again = try await path(.leaveAtDoor)
            #expect(again != leave)
            #expect(try await orders.send(client, .post, again, as: .customer, "mette").status == .ok)
            #expect(try await method() == .leaveAtDoor)
        }
    }

    @Test("Details have the window and the handoff for every reader, the address and the note for the customer alone")
    func details() async throws {
        try await OrdersUnderTest.run { orders, client in
            let plain = try orders.body()
            let order = PlaceOrderBody(
                reference: plain.reference, customer: plain.customer, store: plain.store, promise: plain.promise,
                door: plain.door, recipient: nil, address: Address(street: "Århusgade 12", floor: "3. tv"),
                note: "Mind the dog", handoff: nil, deliveries: plain.deliveries)
            let link = try Self.path(.details, of: try await orders.place(client, order).deliveries[0])
            let shared = ["details_promised", "details_handed"]
            let own: LinkBody = try await orders.send(client, .get, link, as: .customer, "mette").decode()
            #expect(own.details?.prefix(4).map(\.code) == shared + ["details_address", "details_note"])
            #expect(own.details?[2].text == "Address: Århusgade 12, 3. tv")
            let anyone: LinkBody = try await orders.send(client, .get, link, as: nil).decode()
            #expect(anyone.details?.prefix(3).map(\.code) == shared + ["line_pending"])
        }
    }

    @Test("After a delivery was cancelled and reopened, its old link only repeats its response and its new one works")
    func reopened() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let old = try Self.path(.cancel, of: delivery)
            #expect(try await orders.send(client, .post, old, as: .customer, "mette").status == .ok)
            let seen = try await orders.send(
                client, .get, "/v1/deliveries/\(delivery.id)", as: .operator, "ada")
            let reopening = try await orders.send(
                client, .post, "/v1/deliveries/\(delivery.id)/status", as: .operator, "ada",
                StatusBody(status: .placed, reason: "the customer called"),
                ["If-Match": try #require(seen.headers[.eTag])])
            #expect(reopening.status == .ok, "\(String(buffer: reopening.body))")
            #expect(try await orders.send(client, .post, old, as: .customer, "mette").status == .ok)
            let now: DeliveryBody =
                try await orders.send(client, .get, "/v1/deliveries/\(delivery.id)", as: .customer, "mette").decode()
            #expect(now.status == .placed)
            let new = try Self.path(.cancel, of: now)
            #expect(new != old)
            #expect(try await orders.send(client, .post, new, as: .customer, "mette").status == .ok)
            let stored = try #require(try await OrderRepository.delivery(delivery.id, on: orders.pool))
            #expect(stored.delivery.status.code == .cancelled)
        }
    }

    @Test("A press that comes too late gets 409 with the card as it is now")
    func stale() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let link = try Self.path(.cancel, of: delivery)
            try await orders.assign("mira", delivery.id, client)
            try await orders.set([.accepted, .picking, .pickedUp], delivery.id, client)
            let response = try await orders.send(client, .post, link, as: .customer, "mette")
            #expect(response.status == .conflict)
            #expect(try response.problem().type.hasSuffix("stale-press"))
        }
    }

    @Test("Of twenty concurrent presses of a refusal and an approval, the first one counts")
    func concurrent() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            _ = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk")))
            let delivery: DeliveryBody =
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .customer, "mette").decode()
            let links = [
                try Self.path(.approveSubstitution, of: delivery), try Self.path(.refuseSubstitution, of: delivery),
            ]
            let statuses = try await withThrowingTaskGroup(of: (Int, HTTPResponse.Status).self) { group in
                for index in 0..<20 {
                    group.addTask {
                        let link = links[index % 2]
                        return (index % 2, try await orders.send(client, .post, link, as: .customer, "mette").status)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let winners = Set(statuses.filter { $0.1 == .ok }.map(\.0))
            #expect(winners.count == 1)
            #expect(statuses.filter { $0.1 == .ok }.count == 10)
            let stored = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(stored.delivery.version == delivery.version + 1)
        }
    }

    @Test("The courier's number is for the link's own customer, and in no preview")
    func number() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body()).deliveries[0]
            try await orders.assign("mira", placed.id, client)
            try await orders.set([.accepted, .picking, .pickedUp], placed.id, client)
            let link = try Self.path(.contactCourier, of: placed)
            for (role, subject, phone) in [
                (Role.customer, "mette", "+4512345678" as String?), (.customer, "niels", nil),
                (.store, "nordhavn", nil),
            ] {
                let seen: LinkBody = try await orders.send(client, .get, link, as: role, subject).decode()
                #expect(seen.phone == phone, "\(subject)")
            }
            let preview: LinkBody = try await orders.send(client, .get, link, as: nil).decode()
            #expect(preview.phone == nil && preview.verb == .contactCourier)
        }
    }

    @Test("Every answer to a link, refusals too, forbids embedding, guessing its type and telling where it was")
    func headers() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await orders.place(client, try orders.body()).deliveries[0]
            let link = try Self.path(.leaveAtDoor, of: delivery)
            let page = ["Accept": "text/html"]
            let answers = [
                try await orders.send(client, .get, link, as: nil, "", NoBody?.none, page),
                try await orders.send(client, .get, link, as: nil),
                try await orders.send(client, .get, link + "A", as: nil, "", NoBody?.none, page),
                try await orders.send(client, .post, link, as: nil),
                try await orders.send(client, .post, link, as: .customer, "niels"),
                try await orders.send(client, .post, link, as: .customer, "mette"),
            ]
            #expect(answers.map(\.status.code) == [200, 200, 404, 401, 404, 200])
            for answer in answers {
                let policy = try #require(answer.headers[.contentSecurityPolicy])
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                let isPage = answer.headers[.contentType]?.hasPrefix("text/html") == true
                #expect(
                    answer.headers[try #require(HTTPField.Name("Referrer-Policy"))]
                        == (isPage ? "same-origin" : "no-referrer"))
                #expect(answer.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test(
        "A name on a link's page changes no direction but its own",
        arguments: [
            ("Oat\u{202E}milk", "Oatmilk"), ("\u{2069}Oat\u{2066}", "Oat"), ("חלב", "\u{2068}חלב\u{2069}"),
            ("Æblejuice 1½ l", "Æblejuice 1½ l"),
        ])
    func direction(name: String, shown: String) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            _ = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: name)))
            let mine: DeliveryBody =
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: .customer, "mette").decode()
            let page = try await orders.page(client, try Self.path(.approveSubstitution, of: mine))
            let html = String(buffer: page.body)
            #expect(html.contains("><bdi>Take 2 × \(shown) instead of Milk?</bdi></h2>"), "\(html)")
            #expect(!html.contains("\u{202E}") && !html.contains("\u{2066}"))
        }
    }

    @Test("A link counts while its delivery is live, and is gone a day after its promise or its end, the later of both")
    func expired() async throws {
        try await OrdersUnderTest.run { orders, client in
            let early = try await orders.place(client, try orders.body(reference: "G-1041")).deliveries[0]
            let late = try await orders.place(client, try orders.body()).deliveries[0]
            func status(of delivery: DeliveryBody) async throws -> HTTPResponse.Status {
                try await orders.send(client, .get, try Self.path(.details, of: delivery), as: nil).status
            }
            try await orders.set(.cancelled, early.id, client)
            // A day after the promise's end, which is an hour after the start.
            orders.clock.advance(by: 25 * 3_600 - 1)
            #expect(try await status(of: early) == .ok)
            orders.clock.advance(by: 1)
            #expect(try await status(of: early) == .gone)
            orders.clock.advance(by: 2 * 3_600)
            #expect(try await status(of: late) == .ok)
            let cancel = try Self.path(.cancel, of: late)
            #expect(try await orders.send(client, .post, cancel, as: .customer, "mette").status == .ok)
            let stored = try #require(try await OrderRepository.delivery(late.id, on: orders.pool))
            #expect(stored.delivery.status.code == .cancelled)
            orders.clock.advance(by: 24 * 3_600 - 1)
            #expect(try await status(of: late) == .ok)
            orders.clock.advance(by: 1)
            #expect(try await status(of: late) == .gone)
        }
    }

    /// The delivery's own link where it has one, else one that is signed here: only a customer gets links.
    private static func path(_ verb: Verb, of delivery: DeliveryBody) throws -> String {
        let signer = try LinkSigner(
            origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
        if let given = delivery.links.first(where: { $0.verb == verb.rawValue }) {
            return OrdersUnderTest.path(of: given.url)
        }
        let end = delivery.promise.end.addingTimeInterval(Link.hoursAfterPromise * 3600)
        let link = Link(
            delivery: delivery.id, verb: verb, target: verb.isView ? .delivery : .episode(1),
            expiresAt: UInt32(end.timeIntervalSince1970))
        return "/l/\(signer.token(of: link))"
    }
}
