import Foundation
import LiveActivity
import OrderDomain
import Testing

@testable import Orders

@Suite("Links")
struct LinkTests {
    let signer: LinkSigner

    init() throws {
        signer = try LinkSigner(origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)])
    }

    @Test("A signed link reads back as what it stands for", arguments: Verb.allCases)
    func roundTrip(verb: Verb) throws {
        let about: Link.About =
            switch verb {
            case .approveSubstitution, .refuseSubstitution: .proposal(item: 3, number: 2)
            case .leaveAtDoor, .cancel: .episode(2)
            case .details, .contactCourier: .delivery
            }
        let link = Link(delivery: DeliveryID(UUID()), verb: verb, about: about, expiresAt: 1_795_222_000)
        #expect(signer.link(from: signer.token(of: link)) == link)
        #expect(signer.token(of: link) == signer.token(of: link))
        #expect(signer.url(of: link).count <= LinkSigner.urlCharactersMax)
    }

    @Test("A link with any one bit changed is nobody's")
    func forgery() throws {
        let link = Link(delivery: DeliveryID(UUID()), verb: .cancel, about: .episode(1), expiresAt: 1_795_222_000)
        let token = signer.token(of: link)
        let base64 = token.replacing("-", with: "+").replacing("_", with: "/") + "="
        let bytes = [UInt8](try #require(Data(base64Encoded: base64)))
        for bit in 0..<bytes.count * 8 {
            var forged = bytes
            forged[bit / 8] ^= 1 << (bit % 8)
            let text = Data(forged).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(signer.link(from: text) == nil)
        }
    }

    @Test("A link has one spelling: another of the same bytes is nobody's")
    func spelling() throws {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // Some tokens have a sign that plain base64 writes otherwise.
        for _ in 0..<50 {
            let link = Link(delivery: DeliveryID(UUID()), verb: .details, about: .delivery, expiresAt: 1_795_222_000)
            let token = signer.token(of: link)
            #expect(signer.link(from: token) == link)
            let plain = token.replacing("-", with: "+").replacing("_", with: "/")
            if plain != token { #expect(signer.link(from: plain) == nil) }
            // 56 bytes leave two bits of the last character to chance.
            let last = try #require(token.last.flatMap(digits.firstIndex))
            for spare in 1...3 { #expect(signer.link(from: String(token.dropLast()) + [digits[last ^ spare]]) == nil) }
        }
    }

    @Test("A link signed with a retired key still reads, and the newest key signs")
    func rotation() throws {
        let old = Array(repeating: UInt8(7), count: 32)
        let new = Array(repeating: UInt8(9), count: 32)
        let rotated = try LinkSigner(origin: "https://go.nordhavn.example", keys: [1: old, 2: new])
        let link = Link(delivery: DeliveryID(UUID()), verb: .details, about: .delivery, expiresAt: 1)
        #expect(rotated.link(from: signer.token(of: link)) == link)
        #expect(signer.link(from: rotated.token(of: link)) == nil)
    }

    @Test(
        "What cannot sign safe links is refused",
        arguments: [
            ("https://go.nordhavn.example", [:] as [UInt8: [UInt8]]),
            ("https://go.nordhavn.example", [1: [1, 2, 3]]),
            ("https://" + String(repeating: "n", count: 60), [1: Array(repeating: 7, count: 32)]),
        ])
    func badKeys(origin: String, keys: [UInt8: [UInt8]]) {
        #expect(throws: LinkKeyError.self) { try LinkSigner(origin: origin, keys: keys) }
    }

    @Test("Text that is no token reads as nothing", arguments: ["", "x", String(repeating: "A", count: 75), "🥕🥕"])
    func noise(text: String) {
        #expect(signer.link(from: text) == nil)
    }
}

@Suite("Legal links")
struct LegalLinkTests {
    @Test("A placed delivery can be looked at, left at the door and cancelled")
    func placed() throws {
        #expect(try verbs(of: .sample()) == [.details, .leaveAtDoor, .cancel])
    }

    @Test("After pickup nothing can be cancelled, and the courier can be called")
    func pickedUp() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .pickedUp)
        #expect(verbs(of: delivery) == [.details, .contactCourier, .leaveAtDoor])
    }

    @Test("An ended delivery can only be looked at", arguments: [StatusCode.delivered, .returning, .cancelled])
    func ended(code: StatusCode) throws {
        var delivery = try Delivery.sample()
        if code == .cancelled {
            try delivery.change(.status(.cancelled, reason: nil))
        } else {
            try delivery.advance(to: .pickedUp)
            try delivery.change(.status(code, reason: nil))
        }
        #expect(verbs(of: delivery).filter { !$0.isView }.isEmpty)
    }

    @Test("A second proposal for an item has other links than the first")
    func proposals() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .picking)
        let until = delivery.placedAt.addingTimeInterval(600)
        let item = delivery.items[0].id
        let substitute = Substitute(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: 0)
        try delivery.change(.item(item, .proposed(substitute, answerUntil: until)))
        let first = Link.legal(for: delivery)
        #expect(Set(first.map(\.verb)).isSuperset(of: [.approveSubstitution, .refuseSubstitution]))
        let other = Substitute(name: "Soy milk", quantity: 1, priceDifferenceMinorUnits: 0)
        try delivery.change(.item(item, .proposed(other, answerUntil: until)))
        let stale = first.filter { $0.verb == .approveSubstitution || $0.verb == .refuseSubstitution }
        #expect(stale.allSatisfy { !$0.isLegal(for: delivery) })
    }

    @Test("The links of an unchanged delivery are the same each time")
    func stable() throws {
        let delivery = try Delivery.sample()
        #expect(Link.legal(for: delivery) == Link.legal(for: delivery))
    }

    private func verbs(of delivery: Delivery) -> [Verb] { Link.legal(for: delivery).map(\.verb) }
}
