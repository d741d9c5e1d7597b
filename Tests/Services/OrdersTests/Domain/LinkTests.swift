import Foundation
import LiveActivity
import OrderDomain
import Testing

@testable import Orders

@Suite("Links")
struct LinkTests {
    let signer: LinkSigner

    init() throws {
        signer = try LinkSigner(
            origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
    }

    @Test("A signed link decodes to the same link", arguments: Verb.allCases)
    func roundTrip(verb: Verb) throws {
        let target: Link.Target =
            switch verb {
            case .approveSubstitution, .refuseSubstitution: .proposal(item: 3, number: 2)
            case .leaveAtDoor, .handToMe: .handoff(episode: 2, changes: 3)
            case .cancel, .feedback: .episode(2)
            case .details, .contactCourier: .delivery
            }
        let link = Link(delivery: DeliveryID(UUID()), verb: verb, target: target, expiresAt: 1_795_222_000)
        #expect(signer.link(from: signer.token(of: link)) == link)
        #expect(signer.token(of: link) == signer.token(of: link))
        #expect(signer.url(of: link).count <= LinkSigner.urlCharactersMax)
    }

    @Test("A link with any one bit changed is not decoded")
    func forgery() throws {
        let link = Link(delivery: DeliveryID(UUID()), verb: .cancel, target: .episode(1), expiresAt: 1_795_222_000)
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

    @Test("A link has one spelling: another spelling of the same bytes is not decoded")
    func spelling() throws {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        // Several, so that some contain a character that base64 and base64url write differently.
        for _ in 0..<50 {
            let link = Link(delivery: DeliveryID(UUID()), verb: .details, target: .delivery, expiresAt: 1_795_222_000)
            let token = signer.token(of: link)
            #expect(signer.link(from: token) == link)
            let plain = token.replacing("-", with: "+").replacing("_", with: "/")
            if plain != token { #expect(signer.link(from: plain) == nil) }
            // 56 bytes leave the last character with two unused bits.
            let last = try #require(token.last.flatMap(digits.firstIndex))
            for spare in 1...3 { #expect(signer.link(from: String(token.dropLast()) + [digits[last ^ spare]]) == nil) }
        }
    }

    @Test("A link signed with an older key is still decoded, and the newest key signs")
    func rotation() throws {
        let old = Array(repeating: UInt8(7), count: 32)
        let new = Array(repeating: UInt8(9), count: 32)
        let rotated = try LinkSigner(origin: "https://go.nordhavn.example", keys: [1: old, 2: new], signing: 2)
        let link = Link(delivery: DeliveryID(UUID()), verb: .details, target: .delivery, expiresAt: 1)
        #expect(rotated.link(from: signer.token(of: link)) == link)
        // A replica that knows the new key and does not sign with it yet, beside one that does.
        let waiting = try LinkSigner(origin: "https://go.nordhavn.example", keys: [1: old, 2: new], signing: 1)
        #expect(waiting.token(of: link) == signer.token(of: link))
        #expect(waiting.link(from: rotated.token(of: link)) == link)
        #expect(signer.link(from: rotated.token(of: link)) == nil)
    }

    @Test(
        "Keys and origins that cannot sign safe links are refused",
        arguments: [
            ("https://go.nordhavn.example", [:] as [UInt8: [UInt8]]),
            ("https://go.nordhavn.example", [1: [1, 2, 3]]),
            ("https://" + String(repeating: "n", count: 60), [1: Array(repeating: 7, count: 32)]),
        ])
    func badKeys(origin: String, keys: [UInt8: [UInt8]]) {
        #expect(throws: LinkKeyError.self) { try LinkSigner(origin: origin, keys: keys, signing: 1) }
    }

    @Test("No key signs that is not in use, not the highest one either")
    func noneInUse() {
        let keys: [UInt8: [UInt8]] = [1: Array(repeating: 7, count: 32), 2: Array(repeating: 9, count: 32)]
        #expect(throws: LinkKeyError.noneInUse) {
            try LinkSigner(origin: "https://go.nordhavn.example", keys: keys, signing: nil)
        }
    }

    @Test("Text that is no token is not decoded", arguments: ["", "x", String(repeating: "A", count: 75), "🥕🥕"])
    func noise(text: String) {
        #expect(signer.link(from: text) == nil)
    }
}

@Suite("Legal links")
struct LegalLinkTests {
    @Test("The links of a placed delivery show it, leave it at the door, and cancel it")
    func placed() throws {
        #expect(try verbs(of: .sample()) == [.details, .leaveAtDoor, .cancel])
    }

    @Test("Leaving at the door is taken back by a link until pickup, and each change of it has other links")
    func handoff() throws {
        var delivery = try Delivery.sample()
        let first = try #require(Link.legal(for: delivery).first { $0.verb == .leaveAtDoor })
        try delivery.change(.leaveAtDoor)
        #expect(verbs(of: delivery) == [.details, .handToMe, .cancel])
        #expect(first.isInEffect(for: delivery) && !first.isLegal(for: delivery))
        try delivery.change(.handToCustomer)
        let second = try #require(Link.legal(for: delivery).first { $0.verb == .leaveAtDoor })
        #expect(second != first && !first.isInEffect(for: delivery))
        try delivery.change(.leaveAtDoor)
        try delivery.advance(to: .pickedUp)
        #expect(verbs(of: delivery) == [.details, .contactCourier])
    }

    @Test("After pickup there is no link to cancel, and one to call the courier")
    func pickedUp() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .pickedUp)
        #expect(verbs(of: delivery) == [.details, .contactCourier, .leaveAtDoor])
    }

    @Test("The links of an ended delivery only show it", arguments: [StatusCode.delivered, .returning, .cancelled])
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

    @Test("The question after the end has a link for twelve hours, until an operator has decided about its answer")
    func feedback() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .pickedUp)
        #expect(!verbs(of: delivery).contains(.feedback))
        try delivery.change(.status(.delivered, reason: nil))
        let link = try #require(Link.legal(for: delivery).first { $0.verb == .feedback })
        let endedAt = try #require(delivery.endedAt)
        #expect(Double(link.expiresAt) == (endedAt.timeIntervalSince1970 + 12 * 3_600).rounded(.down))
        try delivery.change(.feedback(.missing, items: []))
        #expect(Link.legal(for: delivery).contains(link))
        try delivery.change(.override(.delivered, reason: "refunded"))
        #expect(!link.isLegal(for: delivery) && link.rejection(for: delivery) != nil)
    }

    @Test("The question after a hand-over by the courier's word has a link for twelve hours since its confirmation")
    func confirmedFeedback() throws {
        let sample = try Delivery.sample()
        var delivery = Delivery(
            id: sample.id, order: sample.order, reference: sample.reference, customer: sample.customer,
            store: sample.store, bag: sample.bag, door: sample.door, promise: sample.promise, handoff: sample.handoff,
            items: sample.items, placedAt: sample.placedAt, proof: DeliveryProof(required: [.photo]))
        try delivery.advance(to: .atDoor)
        try delivery.change(.handedOverUnconfirmed)
        let confirmedAt = delivery.statusSince.addingTimeInterval(3_600)
        _ = try delivery.apply(.override(.delivered, reason: "a call"), at: confirmedAt)
        let link = try #require(Link.legal(for: delivery).first { $0.verb == .feedback })
        #expect(Double(link.expiresAt) == (confirmedAt.timeIntervalSince1970 + 12 * 3_600).rounded(.down))
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

    /// A delivery in picking with a question about its milk, and the links that approve and refuse its substitute.
    private func asked() throws -> (delivery: Delivery, approval: Link, refusal: Link) {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .picking)
        try delivery.change(proposal("Oat milk", in: delivery))
        let links = Link.legal(for: delivery)
        return (
            delivery, try #require(links.first { $0.verb == .approveSubstitution }),
            try #require(links.first { $0.verb == .refuseSubstitution })
        )
    }

    private func proposal(_ name: String, in delivery: Delivery) -> DeliveryChange {
        let substitute = Substitute(name: name, quantity: 1, priceDifferenceMinorUnits: 0)
        return .item(
            delivery.items[0].id, .proposed(substitute, answerUntil: delivery.placedAt.addingTimeInterval(600)))
    }

    @Test("An answer is in effect until its item is reported otherwise, asked about again, or not delivered")
    func answerInEffect() throws {
        let (delivery, approval, refusal) = try asked()
        let milk = delivery.items[0].id
        #expect(!approval.isInEffect(for: delivery) && !refusal.isInEffect(for: delivery))
        var refused = delivery
        try refused.change(.answer(milk, proposal: 1, isApproved: false))
        #expect(refusal.isInEffect(for: refused) && !approval.isInEffect(for: refused))
        var approved = delivery
        try approved.change(.answer(milk, proposal: 1, isApproved: true))
        #expect(approval.isInEffect(for: approved) && !refusal.isInEffect(for: approved))
        for change in [
            .item(milk, .outOfStock), proposal("Almond milk", in: delivery), .status(.cancelled, reason: nil),
            .item(milk, .substituted(Substitute(name: "Oat milk", quantity: 1, priceDifferenceMinorUnits: 900))),
        ] as [DeliveryChange] {
            var changed = approved
            try changed.change(change)
            #expect(!approval.isInEffect(for: changed), "\(change)")
        }
    }

    @Test("An overtaken question does not name the goods of the next one")
    func overtaken() throws {
        let question = try asked()
        let approval = question.approval
        var delivery = question.delivery
        #expect(approval.proposedSwap(in: delivery).substitute == "1 × Oat milk")
        try delivery.change(proposal("Almond milk", in: delivery))
        #expect(approval.proposedItem(in: delivery) == nil)
        #expect(approval.proposedSwap(in: delivery) == ProposedSwap(item: nil, substitute: nil, difference: nil))
    }

    @Test("A question names no substitute that the store has packed without asking")
    func unasked() throws {
        let question = try asked()
        var delivery = question.delivery
        let item = question.approval.proposedSwap(in: delivery).item
        let packed = Substitute(name: "Almond milk", quantity: 1, priceDifferenceMinorUnits: 900)
        try delivery.change(.item(delivery.items[0].id, .substituted(packed)))
        for link in [question.approval, question.refusal] {
            #expect(link.proposedItem(in: delivery)?.hasUnaskedSubstitute == true)
            #expect(link.proposedSwap(in: delivery) == ProposedSwap(item: item, substitute: nil, difference: nil))
            #expect(link.prompt(for: delivery).contains("the substitute"))
        }
    }

    @Test("A cancellation is in effect while the delivery is cancelled, not after a reopening and not on the way back")
    func cancelInEffect() throws {
        var cancelled = try Delivery.sample()
        let link = try #require(Link.legal(for: cancelled).first { $0.verb == .cancel })
        var returning = cancelled
        try cancelled.change(.status(.cancelled, reason: nil))
        #expect(link.isInEffect(for: cancelled))
        try cancelled.change(.override(.accepted, reason: "it goes on"))
        #expect(!link.isInEffect(for: cancelled))
        let leaving = try #require(Link.legal(for: returning).first { $0.verb == .leaveAtDoor })
        try returning.change(.leaveAtDoor)
        try returning.advance(to: .pickedUp)
        #expect(leaving.isInEffect(for: returning))
        try returning.change(.status(.returning, reason: nil))
        #expect(!link.isInEffect(for: returning) && !leaving.isInEffect(for: returning))
    }

    static let lateLeavings: [(statuses: [StatusCode], text: String)] = [
        ([], "The hand-over was changed after this was offered"),
        ([.accepted, .picking, .staged], "The hand-over was changed after this was offered"),
        ([.accepted, .picking, .pickedUp], "The hand-over was changed after this was offered"),
        ([.accepted, .picking, .pickedUp, .enRoute, .arriving], "The hand-over was changed after this was offered"),
        ([.accepted, .picking, .pickedUp, .atDoor], "The courier is already at the door"),
        ([.accepted, .picking, .pickedUp, .atDoor, .attempted], "The courier was at the door already"),
        ([.accepted, .picking, .pickedUp, .returning], "The groceries are on their way back to the store"),
        ([.accepted, .picking, .pickedUp, .returning, .returned], "The delivery has ended"),
        ([.accepted, .picking, .pickedUp, .delivered], "The delivery has ended"),
        ([.accepted, .picking, .pickedUp, .failed], "The delivery has ended"),
        ([.cancelled], "The delivery has ended"),
    ]

    @Test("A late press of leaving it at the door is answered with the reason", arguments: lateLeavings.indices)
    func lateLeaving(index: Int) throws {
        let (statuses, text) = Self.lateLeavings[index]
        var delivery = try Delivery.sample()
        let former = try #require(Link.legal(for: delivery).first { $0.verb == .leaveAtDoor })
        for change in [.leaveAtDoor, .handToCustomer, .courier(Delivery.mira)] as [DeliveryChange] {
            try delivery.change(change)
        }
        for status in statuses { try delivery.change(.status(status, reason: nil)) }
        #expect(!former.isLegal(for: delivery) && former.rejection(for: delivery) == text)
    }

    @Test("A late press of having it handed over is answered with the reason")
    func lateHandToMe() throws {
        var delivery = try Delivery.sample()
        try delivery.change(.leaveAtDoor)
        let former = try #require(Link.legal(for: delivery).first { $0.verb == .handToMe })
        try delivery.change(.handToCustomer)
        #expect(former.rejection(for: delivery) == "It is already to be handed to you")
        try delivery.change(.leaveAtDoor)
        #expect(!former.isLegal(for: delivery))
        #expect(former.rejection(for: delivery) == "The hand-over was changed after this was offered")
        try delivery.advance(to: .pickedUp)
        #expect(former.rejection(for: delivery) == "The courier already has the groceries")
        try delivery.change(.status(.delivered, reason: nil))
        #expect(former.rejection(for: delivery) == "The delivery has ended")
    }

    @Test("The links of an unchanged delivery are the same each time")
    func stable() throws {
        let delivery = try Delivery.sample()
        #expect(Link.legal(for: delivery) == Link.legal(for: delivery))
    }

    private func verbs(of delivery: Delivery) -> [Verb] { Link.legal(for: delivery).map(\.verb) }
}
