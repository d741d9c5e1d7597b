import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Stores' faces", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FaceTests {
    private static let path = "/v1/stores/nordhavn/face"

    private func put(
        _ body: PutFaceBody, _ orders: OrdersUnderTest, _ client: any TestClientProtocol, as role: Role = .store,
        _ headers: [String: String] = [:]
    ) async throws -> TestResponse {
        try await orders.send(client, .put, Self.path, as: role, "nordhavn", body, headers)
    }

    private func putLogo(
        _ bytes: [UInt8], _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "\(Self.path)/logo", method: .put,
            headers: [
                .contentType: "application/octet-stream",
                .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
            ], body: ByteBuffer(bytes: bytes))
    }

    @Test("A face is read as it was set, each change is a version, and a part that is left out is removed")
    func versions() async throws {
        try await OrdersUnderTest.run { orders, client in
            let none: FaceBody = try await orders.send(client, .get, Self.path, as: .store, "nordhavn").decode()
            #expect(none.version == 0 && none.name == nil && none.changedBy == nil)
            let first = try await put(.example, orders, client)
            #expect(first.headers[.eTag] == #""v1""#)
            let set: FaceBody = try first.decode()
            #expect(PutFaceBody(set) == .example && set.version == 1 && set.changedBy == "store nordhavn")
            #expect(set.changedAt == OrdersUnderTest.start)
            let again: FaceBody = try await put(.example, orders, client).decode()
            #expect(again.version == 1)
            let fewer: FaceBody = try await put(PutFaceBody(name: "Nordhavn"), orders, client).decode()
            #expect(fewer.version == 2 && fewer.colours == nil && fewer.words == nil && fewer.contact == nil)
            let other: FaceBody = try await orders.send(
                client, .get, "/v1/stores/valby/face", as: .store, "nordhavn"
            ).decode()
            #expect(other.version == 0)
        }
    }

    @Test("An operator sends the version that was read, and an older one changes nothing")
    func conditions() async throws {
        try await OrdersUnderTest.run { orders, client in
            let body = PutFaceBody(name: "Nordhavn")
            #expect(try await put(body, orders, client, as: .operator).status == .preconditionRequired)
            let set = try await put(body, orders, client, as: .operator, ["If-Match": #""v0""#])
            #expect(set.status == .ok)
            let late = try await put(
                PutFaceBody(name: "Late"), orders, client, as: .operator, ["If-Match": #""v0""#])
            #expect(late.status == .preconditionFailed)
            let now: FaceBody = try await orders.send(client, .get, Self.path, as: .store, "nordhavn").decode()
            #expect(now.name == "Nordhavn" && now.version == 1)
        }
    }

    @Test("A colour below 4.5:1 is refused with its field, its ratio and the nearest colour that passes")
    func contrast() async throws {
        try await OrdersUnderTest.run { orders, client in
            let colours = FaceBody.Colours(light: "#ffcc00", dark: "#1b1e23")
            let refused = try await put(PutFaceBody(name: "Nordhavn", colours: colours), orders, client)
            #expect(refused.status == .badRequest)
            let errors = try #require(try refused.problem().errors)
            #expect(errors.map(\.path) == ["colours.light", "colours.dark"])
            #expect(errors[0].message.hasPrefix("has a contrast of 1.37:1 to #f4f4f1, and needs 4.5:1"))
            let nearest = errors.compactMap { $0.allowed?.first }
            let accepted = try await put(
                PutFaceBody(colours: .init(light: nearest[0], dark: nearest[1])), orders, client)
            #expect(accepted.status == .ok && nearest == ["#886d00", "#7a8699"], "\(nearest)")
        }
    }

    @Test(
        "Every fault of a face is named with its place",
        arguments: [
            (#"{"name":""}"#, "name", "1 to 40 characters"),
            (#"{"name":"\#(String(repeating: "n", count: 41))"}"#, "name", "1 to 40 characters"),
            (#"{"colours":{}}"#, "colours", "must have light or dark"),
            (#"{"colours":{"light":"teal"}}"#, "colours.light", "must be a colour such as #0b62c4"),
            (#"{"contact":{}}"#, "contact", "must have a phone, a url or an email"),
            (#"{"contact":{"phone":"call us"}}"#, "contact.phone", "telephone number"),
            (#"{"contact":{"url":"http://x.example"}}"#, "contact.url", "https://"),
            (#"{"contact":{"email":"a@b?cc=c@d.example"}}"#, "contact.email", "e-mail address"),
            (#"{"words":{"da":{"page.items":"{stroe}"}}}"#, "words.da.page.items", "character 1: {stroe} is no value"),
            (#"{"words":{"da":{"page.items":"{"}}}"#, "words.da.page.items", "not closed"),
            (#"{"words":{"da":{"phrase.placed":"Tak"}}}"#, "words.da.phrase.placed", "no text of a customer's page"),
            (#"{"words":{"da-DK":{"page.items":"x"}}}"#, "words.da-DK", "ISO 639"),
            (#"{"logo":"x"}"#, "logo", "is not a known property"),
        ])
    func faults(json: String, path: String, message: String) async throws {
        try await OrdersUnderTest.run { orders, client in
            let answer = try await client.execute(
                uri: Self.path, method: .put,
                headers: [
                    .contentType: "application/json",
                    .authorization: "Bearer \(try await orders.token(.store, "nordhavn"))",
                ], body: ByteBuffer(string: json))
            #expect(answer.status == .badRequest)
            let errors = try #require(try answer.problem().errors)
            #expect(errors.contains { $0.path == path && $0.message.contains(message) }, "\(errors)")
        }
    }

    @Test("A logo is served without a token under its hash for good, and is none of a store once another replaces it")
    func logo() async throws {
        try await OrdersUnderTest.run { orders, client in
            let set: FaceBody = try await putLogo(SampleImage.png(), orders, client).decode()
            let logo = try #require(set.logo)
            #expect(logo.width == 64 && logo.height == 48 && set.version == 1)
            let path = OrdersUnderTest.path(of: logo.url)
            let hash = try ProofImage(SampleImage.png()).hash
            #expect(path == "/faces/nordhavn/\(hash).png")
            let file = try await orders.send(client, .get, path, as: nil)
            #expect(Array(file.body.readableBytesView) == (try ProofImage(SampleImage.png()).bytes))
            #expect(file.headers[.contentType] == "image/png" && file.headers[.xContentTypeOptions] == "nosniff")
            #expect(file.headers[.cacheControl] == "public, max-age=31536000, immutable")
            for other in ["/faces/valby/\(hash).png", "/faces/nordhavn/\(hash).jpg", "/faces/nordhavn/\(hash).svg"] {
                #expect(try await orders.send(client, .get, other, as: nil).status == .notFound)
            }
            let kept: FaceBody = try await put(PutFaceBody(name: "Nordhavn"), orders, client).decode()
            #expect(kept.logo == logo)
            let removed: FaceBody = try await orders.send(
                client, .delete, "\(Self.path)/logo", as: .store, "nordhavn"
            ).decode()
            #expect(removed.logo == nil && removed.version == 3)
            #expect(try await orders.send(client, .get, path, as: nil).status == .notFound)
        }
    }

    @Test("Transparent colours stay in a logo")
    func transparency() async throws {
        try await OrdersUnderTest.run { orders, client in
            let palette = SampleImage.chunk("PLTE", [0, 0, 0, 255, 255, 255])
            let bytes = SampleImage.png(
                header: SampleImage.header(colour: 3), samples: 1,
                extra: palette + SampleImage.chunk("tRNS", [0]) + SampleImage.chunk("tEXt", Array("by Mette".utf8)))
            let set: FaceBody = try await putLogo(bytes, orders, client).decode()
            let path = try #require(set.logo?.url).dropFirst("https://go.nordhavn.example".count)
            let file = try await orders.send(client, .get, String(path), as: nil)
            let text = String(decoding: file.body.readableBytesView, as: UTF8.self)
            #expect(text.contains("tRNS") && !text.contains("Mette"))
        }
    }

    @Test("What is no small JPEG or PNG is no logo, and changes nothing")
    func refusedLogos() async throws {
        try await OrdersUnderTest.run { orders, client in
            let svg = Array(#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#.utf8)
            let wide = SampleImage.jpeg(frame: SampleImage.frame(width: 1_025, height: 10))
            for bytes in [svg, wide, SampleImage.png() + Array("more".utf8), Array(SampleImage.png().dropLast(4))] {
                let answer = try await putLogo(bytes, orders, client)
                #expect(answer.status == .unprocessableContent)
                #expect(try answer.problem().type == "https://doorstep.dev/problems/image-refused")
            }
            let large = [UInt8](repeating: 0, count: SetFace.logoBytesMax + 1)
            #expect(try await putLogo(large, orders, client).status == .contentTooLarge)
            let face: FaceBody = try await orders.send(client, .get, Self.path, as: .store, "nordhavn").decode()
            #expect(face.version == 0)
        }
    }

    @Test("A style sheet has the colours of its name, and none that is not legible")
    func styles() async throws {
        try await OrdersUnderTest.run { orders, client in
            let both = try await orders.send(client, .get, "/faces/nordhavn/0a6b70-5fd0d6.css", as: nil)
            #expect(
                String(buffer: both.body) == """
                    @media (prefers-color-scheme: light) { :root { --tone: #0a6b70; } }
                    @media (prefers-color-scheme: dark) { :root { --tone: #5fd0d6; } }

                    """)
            #expect(both.headers[.contentType] == "text/css; charset=utf-8")
            #expect(both.headers[.cacheControl] == "public, max-age=31536000, immutable")
            for name in ["none-none", "ffcc00-none", "none-000000", "0A6B70-none", "0a6b70", "0a6b70;-none"] {
                let path = "/faces/nordhavn/\(name).css"
                #expect(try await orders.send(client, .get, path, as: nil).status == .notFound, "\(name)")
            }
        }
    }
}
