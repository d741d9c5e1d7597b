import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Photos and signatures of hand-overs", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct GiveImageTests {
    /// A delivery at its door, brought by mira.
    private static func atDoor(
        requiring proofs: [ProofKind], barcode: String? = nil, left: Bool = false, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        var body = try orders.body(reference: "G-\(UUID().uuidString.prefix(8))")
        body.requires = proofs
        body.deliveries[0].barcode = barcode
        if left { body.handoff = Handoff(method: .leaveAtDoor, verification: .none) }
        let id = try await orders.place(client, body).deliveries[0].id
        try await orders.set([.accepted, .picking, .staged], id, client)
        try await orders.assign("mira", id, client)
        try await orders.set([.pickedUp, .enRoute, .atDoor], id, client)
        return id
    }

    private static func give(
        _ bytes: [UInt8], as kind: String = "photo", of id: DeliveryID, by courier: String = "mira",
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v1/deliveries/\(id)/proofs/\(kind)", method: .put,
            headers: [
                // What a sender says of its bytes is not believed.
                .contentType: "text/html",
                .authorization: "Bearer \(try await orders.token(.courier, courier))",
            ], body: ByteBuffer(bytes: bytes))
    }

    @Test("A photo proves a hand-over, also of goods that are left at the door, and is shown without its metadata")
    func photo() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], left: true, orders, client)
            let deliver = StatusBody(status: .delivered)
            let path = "/v1/deliveries/\(id)"
            let refused = try await orders.send(client, .post, "\(path)/status", as: .courier, "mira", deliver)
            #expect(refused.status == .conflict)
            let given = try await Self.give(SampleImage.jpeg(metadata: SampleImage.exif), of: id, orders, client)
            #expect(given.status == .ok)
            #expect(try await Self.give(SampleImage.jpeg(), of: id, orders, client).status == .ok, "a repeat")
            #expect(
                try await orders.send(client, .post, "\(path)/status", as: .courier, "mira", deliver).status == .ok)
            let seen: DeliveryBody = try await orders.send(client, .get, path, as: .store, "nordhavn").decode()
            let hash = try #require(seen.proofs?.first?.image)
            let image = try await orders.send(client, .get, "\(path)/images/\(hash)", as: .store, "nordhavn")
            #expect(image.status == .ok && Array(image.body.readableBytesView) == SampleImage.jpeg())
            #expect(image.headers[.contentType] == "image/jpeg")
            #expect(image.headers[.xContentTypeOptions] == "nosniff")
            #expect(image.headers[.contentDisposition] == "attachment; filename=\"photo.jpg\"")
            #expect(image.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(image.headers[.cacheControl] == "no-store")
            let timeline = try await OrderRepository.timeline(id, on: orders.pool)
            #expect(timeline.filter { $0.kind == TimelineEntry.proofKind }.map(\.summary) == ["photo taken"])
            let event = WebhookEventBody.Content(
                try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery)
            #expect(event.proofs?.first?.image == hash)
        }
    }

    @Test("What is no image, too large or not asked for is refused by its name, and nothing is kept")
    func refused() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            let page = Array("<script>alert(1)</script>".utf8)
            for bytes in [page, SampleImage.jpeg() + page, SampleImage.png(extra: page), []] {
                let answer = try await Self.give(bytes, of: id, orders, client)
                #expect(answer.status == .unprocessableContent)
                #expect(try answer.problem().type.hasSuffix("/image-refused"))
            }
            let large = SampleImage.png(
                extra: SampleImage.chunk("tEXt", [UInt8](repeating: 7, count: ProofImage.bytesMax)))
            #expect(try await Self.give(large, of: id, orders, client).status == .contentTooLarge)
            let other = try await Self.give(SampleImage.png(), as: "signature", of: id, orders, client)
            #expect(try other.problem().type.hasSuffix("/proof-not-required"))
            #expect(try await Self.give(SampleImage.png(), as: "pin", of: id, orders, client).status == .notFound)
            // Who may not see the delivery learns nothing of what they sent.
            let unseen = try await Self.give(page, of: id, by: "noah", orders, client)
            #expect(unseen.status == .notFound)
            #expect(try await orders.pool.query("SELECT 1 AS one FROM proof_images").isEmpty)
        }
    }

    @Test("An operator's look is in the timeline, a customer sees it where the store has it so, and a courier never")
    func readers() async throws {
        let visibility = try #require(ImageVisibility("valby, nordhavn"))
        for (visibility, isShown) in [(ImageVisibility(), false), (visibility, true)] {
            try await OrdersUnderTest.run(imageVisibility: visibility) { orders, client in
                let id = try await Self.atDoor(requiring: [.signature], orders, client)
                _ = try await Self.give(SampleImage.png(), as: "signature", of: id, orders, client)
                let path = "/v1/deliveries/\(id)"
                let hash = try ProofImage(SampleImage.png()).hash
                func read(_ role: Role, _ subject: String) async throws -> HTTPResponse.Status {
                    try await orders.send(client, .get, "\(path)/images/\(hash)", as: role, subject).status
                }
                func readings() async throws -> [String] {
                    try await OrderRepository.timeline(id, on: orders.pool)
                        .filter { $0.kind == TimelineEntry.contactKind }.map { "\($0.by) \($0.summary)" }
                }
                #expect(try await read(.customer, "mette") == (isShown ? .ok : .notFound))
                #expect(try await read(.customer, "ole") == .notFound)
                #expect(try await read(.courier, "mira") == .notFound)
                #expect(try await readings().isEmpty)
                #expect(try await read(.operator, "ada") == .ok)
                #expect(try await read(.operator, "ada") == .ok)
                orders.clock.advance(by: 1_799)
                #expect(try await read(.operator, "ada") == .ok)
                #expect(try await readings() == ["operator ada saw the signature"], "one look in half an hour")
                orders.clock.advance(by: 2)
                #expect(try await read(.operator, "ada") == .ok)
                #expect(try await readings().count == 2)
                let own: DeliveryBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
                #expect(own.proofs?.first?.image == (isShown ? hash : nil))
                let courier: DeliveryBody = try await orders.send(client, .get, path, as: .courier, "mira").decode()
                #expect(courier.proofs?.first?.image == nil)
                #expect(
                    try await orders.send(
                        client, .get, "\(path)/images/\(String(repeating: "0", count: 64))", as: .store, "nordhavn"
                    ).status == .notFound)
            }
        }
    }

    @Test("An image is encrypted where it is kept, cannot be read as another delivery's, and is gone after its time")
    func kept() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            _ = try await Self.give(SampleImage.jpeg(), of: id, orders, client)
            let row = try #require(try await orders.pool.query("SELECT content_hash, sealed FROM proof_images").first)
            let sealed = try row.decode("sealed", as: [UInt8].self)
            let hash = try row.decode("content_hash", as: String.self)
            #expect(sealed.firstRange(of: SampleImage.quantization) == nil)
            let box = ProofImageBox(try OrdersUnderTest.proofKeys)
            #expect(box.open(sealed, hash: hash, of: id) == SampleImage.jpeg())
            #expect(box.open(sealed, hash: hash, of: DeliveryID(UUID())) == nil)
            try await orders.set(.delivered, id, client)
            func images() async throws -> Int {
                try await orders.pool.query("SELECT 1 AS one FROM proof_images").count
            }
            let day = 86_400.0
            try await ExpiredRows.delete(
                on: orders.pool, at: orders.clock.now.addingTimeInterval(Double(RetentionTimes().imagesDays - 1) * day))
            #expect(try await images() == 1)
            try await ExpiredRows.delete(
                on: orders.pool, at: orders.clock.now.addingTimeInterval(Double(RetentionTimes().imagesDays + 1) * day))
            #expect(try await images() == 0)
        }
    }

    @Test("A photo that was waived is taken late as long as photos of its delivery are kept, and not afterwards")
    func afterRetention() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            let late = try await Self.atDoor(requiring: [.photo], orders, client)
            let ada = Principal(.operator("ada"))
            for delivery in [id, late] {
                _ = try await orders.change(delivery, .override(.delivered, reason: "seen on the step"), by: ada)
            }
            let giveImage = try orders.giveImage
            let mira = Principal(.courier(Delivery.mira.id))
            orders.clock.advance(by: Double(RetentionTimes().imagesDays) * 86_400)
            let taken = try await giveImage(SampleImage.png(), as: .photo, of: id, by: mira)
            #expect(taken.hasChanged)
            orders.clock.advance(by: 1)
            await #expect(throws: ChangeRefusal.tooLate("a photo is kept for 30 days after the end")) {
                _ = try await giveImage(SampleImage.jpeg(), as: .photo, of: late, by: mira)
            }
            let repeated = try await giveImage(SampleImage.png(), as: .photo, of: id, by: mira)
            #expect(!repeated.hasChanged)
            #expect(try await orders.pool.query("SELECT 1 AS one FROM proof_images").count == 1)
        }
    }

    @Test("A courier's page asks for what is missing, and takes a photo and a barcode by themselves")
    func page() async throws {
        try await OrdersUnderTest.run { orders, client in
            let kinds: [ProofKind] = [.photo, .signature, .barcode]
            let id = try await Self.atDoor(requiring: kinds, barcode: "NH-1042-1  ", orders, client)
            let path = try await orders.courierLink(of: "mira", client)
            func html() async throws -> String {
                try await String(buffer: orders.page(client, path).body)
            }
            func send(
                _ part: String, _ body: ByteBuffer, from origin: String = OrdersUnderTest.origin
            ) async throws -> TestResponse {
                try await client.execute(
                    uri: "\(path)/proofs\(part)", method: .post,
                    headers: [.accept: "application/json", .origin: origin], body: body)
            }
            let asked = try await html()
            #expect(asked.contains(#"data-picture="photo""#) && asked.contains(#"id="signature-drawing-\#(id)""#))
            #expect(asked.contains(#"name="barcode""#) && asked.contains(#"data-after="barcode photo signature""#))
            #expect(!asked.contains("NH-1042-1"), "a barcode that is shown is not read from the bag")
            #expect(!asked.contains(#"id="handed_over-\#(id)""#))
            let photo = ByteBuffer(bytes: SampleImage.jpeg())
            #expect(try await send("/\(id)/photo", photo, from: "https://elsewhere.example").status == .forbidden)
            #expect(try await send("/\(id)/photo", photo).status == .noContent)
            #expect(try await send("/\(id)/photo", ByteBuffer(string: "none")).status == .unprocessableContent)
            #expect(try await send("/\(DeliveryID(UUID()))/photo", photo).status == .notFound)
            let signature = ByteBuffer(bytes: SampleImage.png())
            #expect(try await send("/\(id)/signature", signature).status == .noContent)
            let wrong = try await send("", ByteBuffer(string: "delivery=\(id)&barcode=NH-9"))
            #expect(wrong.status == .unprocessableContent)
            #expect(try wrong.problem().type.hasSuffix("/wrong-barcode"))
            let typed = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/proofs", as: .operator, "ada", GiveProofBody(barcode: "NH-1042-1"))
            #expect(typed.status == .forbidden, "an operator is at no door")
            let right = try await send("", ByteBuffer(string: "delivery=\(id)&barcode=+NH-1042-1"))
            #expect(right.status == .noContent)
            let given = try await html()
            #expect(given.contains(#"id="handed_over-\#(id)""#) && !given.contains(#"data-picture=""#))
        }
    }

    @Test("A hand-over without a network whose PIN turns out wrong is to be confirmed by a person, and not delivered")
    func late() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let path = try await orders.courierLink(of: "mira", client)
            let press = UUID()
            func hand(late: Bool, _ press: UUID) async throws -> TestResponse {
                let fields = "press=\(press)&delivery=\(id)&action=handed_over&held=10" + (late ? "&late=true" : "")
                return try await orders.post(
                    client, "\(path)/presses", fields, origin: OrdersUnderTest.origin, accept: "application/json")
            }
            #expect(try await hand(late: false, UUID()).status == .conflict)
            let answer: CourierPressBody = try await hand(late: true, press).decode()
            #expect(answer.state == "refused")
            #expect(try await hand(late: true, press).status == .ok, "a repeat is the same")
            let seen: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(id)", as: .operator, "ada"
            ).decode()
            #expect(seen.status == .atDoor && seen.handedOverAt != nil && seen.undecidedSince != nil)
            #expect(seen.allowed.contains(.delivered))
            let board: BoardBody = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada").decode()
            #expect(board.deliveries.first?.need == .unproven)
            let page = try await orders.page(client, path)
            #expect(String(buffer: page.body).contains("Handed over, to be confirmed: the shop decides"))
            let last = try #require(try await OrderRepository.timeline(id, on: orders.pool).last)
            #expect(last.summary == "handed over, to be confirmed, without pin" && last.by == "courier mira")
            _ = try await orders.change(id, .pin(isRight: true), by: Principal(.store("nordhavn")))
            let confirmed = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            #expect(confirmed.status == .handedOver(.delivered))
        }
    }

    @Test("A late hand-over of a delivery that failed meanwhile counts with its photo, and another press is refused")
    func lateAfterAttempt() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            try await orders.set(.attempted, id, client)
            let path = try await orders.courierLink(of: "mira", client)
            #expect(try await Self.give(SampleImage.jpeg(), of: id, orders, client).status == .ok)
            func hand(_ further: String) async throws -> TestResponse {
                let fields = "press=\(UUID())&delivery=\(id)&action=handed_over&held=10\(further)"
                return try await orders.post(
                    client, "\(path)/presses", fields, origin: OrdersUnderTest.origin, accept: "application/json")
            }
            #expect(try await hand("").status == .conflict)
            let answer: CourierPressBody = try await hand("&late=true").decode()
            #expect(answer.state == "done")
            let known = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            #expect(known.status == .handedOver(.delivered))
            let last = try #require(try await OrderRepository.timeline(id, on: orders.pool).last)
            #expect(last.summary.hasPrefix("handed over: ") && last.by == "courier mira")
        }
    }

    @Test("A customer sees what proves their hand-over, and no image that a reopening has voided; the store sees both")
    func voided() async throws {
        let visible = try #require(ImageVisibility("*"))
        try await OrdersUnderTest.run(imageVisibility: visible) { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            #expect(try await Self.give(SampleImage.jpeg(), of: id, orders, client).status == .ok)
            try await orders.set(.delivered, id, client)
            let seen: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(id)", as: .customer, "mette"
            ).decode()
            let path = "/v1/deliveries/\(id)/images/\(try #require(seen.proofs?.first?.image))"
            #expect(try await orders.send(client, .get, path, as: .customer, "mette").status == .ok)
            let ada = Principal(.operator("ada"))
            _ = try await orders.change(id, .override(.atDoor, reason: "the wrong door"), by: ada)
            #expect(try await orders.send(client, .get, path, as: .customer, "mette").status == .notFound)
            #expect(try await orders.send(client, .get, path, as: .store, "nordhavn").status == .ok)
        }
    }
}
