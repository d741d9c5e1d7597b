import DomainTime
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import Synchronization
import WireCoding

/// Reads the data of the page behind a link.
///
/// Concurrent reads of pages share one statement: a change wakes all pages of its delivery.
struct ShowPage: Sendable {
    let pressLink: PressLink
    let cards: PageCards
    let maps: PageMaps
    let faces: StoreFaces
    private let visibility: ImageVisibility
    private let reads: GroupCommit<Reading, Int, PageRepository.Read?>

    private struct Reading: Sendable {
        let delivery: DeliveryID
        /// Several may read the same.
        let number: Int
    }

    private static let numbers = Atomic(0)
    /// Deliveries in one statement.
    private static let readsMax = 200

    /// - Parameter visibility: the stores whose customers see the images of their hand-overs.
    init(
        pressLink: PressLink, pages: OpenPages, cards: PageCards, faces: StoreFaces, maps: PageMaps = PageMaps(),
        visibility: ImageVisibility = ImageVisibility()
    ) {
        self.pressLink = pressLink
        self.cards = cards
        self.maps = maps
        self.faces = faces
        self.visibility = visibility
        let (pool, personalData) = (pressLink.change.pool, pressLink.change.personalData)
        var configuration = GroupCommit<Reading, Int, PageRepository.Read?>.Configuration(
            transactionsMax: 1, requestsMax: Self.readsMax)
        // Each is of an open connection, which are bounded already.
        configuration.waitersMax = .max
        reads = GroupCommit(configuration, key: \.number, failsTogether: { _ in true }) { readings in
            let found = try await PageRepository.read(
                Array(Set(readings.map(\.delivery))), opening: personalData, on: pool)
            for (delivery, read) in found { pages.noteRead(read.version, of: delivery) }
            return readings.map { found[$0.delivery] }
        }
    }

    /// A page's content at one moment.
    struct State: Sendable {
        let link: Link
        /// With the name and the contact of its store's face.
        let delivery: Delivery
        let face: StoreFaces.Shown
        let card: PageCard
        /// Whether its reader gave the order's number.
        let isProven: Bool
        /// Whether the link was pressed before.
        let isPressed: Bool
        /// The customer's address and note, for a reader who gave the order's number.
        let dropOff: DropOff?
        /// The courier's number; nil without one.
        let courierPhone: String?
        /// The customer's PIN, for a reader who gave the order's number; nil where the courier does not ask for one.
        let pin: String?
        /// The photo and the signature of the hand-over, for a reader who gave the order's number; empty where the store
        /// does not show them.
        let images: [GivenProof]
        /// Whether the number shows more than the link alone.
        let hasMore: Bool
        /// The order's other deliveries with their links, for a reader who gave its number.
        let otherBags: [OtherBag]
        /// Whether the page may have a map before the delivery's end.
        let hasMap: Bool
        /// The map; nil while it shows no courier.
        let map: PageMap?
        /// The VAPID public key for the reader's browser; nil where notifications are off, and at the end.
        let alertKey: String?

        /// A page's link to another delivery of the order.
        struct OtherBag: Hashable, Sendable {
            let number: Int
            let link: Link
        }

        /// The link's end, epoch seconds; nil while the delivery is live.
        var endsAt: Int? { link.end(of: delivery)?.epochSeconds }
    }

    /// - Parameter proof: the browser's proof of an order; nil for none.
    /// - Throws: `PressLink.Refusal`.
    func callAsFunction(_ token: String, proof: @Sendable (OrderID) -> String?) async throws -> State {
        let (link, read) = try await pressLink.valid(token) { delivery in
            try await reads(
                Reading(delivery: delivery, number: Self.numbers.add(1, ordering: .relaxed).newValue))
        }
        var record = read
        let face = try await faces(record.delivery.store.id)
        record.delivery = record.delivery.with(face.face)
        let (delivery, now) = (record.delivery, pressLink.clock.now)
        let own = pressLink.change.messages.intent(for: record, at: now).step
        let (wanted, isFollowed) = await cards.card(of: delivery.id)
        let card = PageCard(
            wanted: wanted, isFollowed: isFollowed, own: own, of: delivery, now: now.epochSeconds)
        let isProven = pressLink.signer.isProof(proof(delivery.order), of: delivery.order, at: now)
        let images = visibility.includes(delivery.store.id) ? delivery.imagesOfHandOver : []
        return State(
            link: link, delivery: delivery, face: face, card: card, isProven: isProven,
            isPressed: link.verb.isView ? false : try await pressLink.isPressed(token),
            dropOff: isProven ? record.dropOff : nil,
            courierPhone: delivery.courier.flatMap(pressLink.change.personalData.phone),
            pin: isProven ? pressLink.change.messages.openPIN(of: record) : nil,
            images: isProven ? images : [],
            hasMore: delivery.bag.count > 1 || record.dropOff?.address != nil || record.dropOff?.note != nil
                || record.pin != nil && delivery.missingProofs.contains(.pin) || !images.isEmpty,
            otherBags: isProven && delivery.bag.count > 1 ? try await otherBags(than: delivery, at: now) : [],
            hasMap: maps.visibility.hasMap(link, of: delivery),
            map: try await maps.map(of: link, delivery, isProven: isProven) {
                try await lastChange(of: delivery, at: now)
            },
            alertKey: delivery.endedAt == nil ? cards.alertKey : nil)
    }

    private func lastChange(of delivery: Delivery, at now: Date) async throws -> Date {
        try await TimelineRepository.lastChange(of: delivery.id, on: pressLink.change.pool) ?? now
    }

    private func otherBags(than delivery: Delivery, at now: Date) async throws -> [State.OtherBag] {
        try await PageRepository.otherBags(than: delivery, on: pressLink.change.pool).filter { bag in
            Link.viewEnd(promiseEnd: bag.promiseEnd, endedAt: bag.endedAt).map { $0 > now } ?? true
        }.map { State.OtherBag(number: $0.number, link: .details(of: $0.delivery, promiseEnd: $0.promiseEnd)) }
    }
}

extension Delivery {
    /// The photo and the signature that count.
    fileprivate var imagesOfHandOver: [GivenProof] {
        [ProofKind.photo, .signature].compactMap { proof?.result(of: $0) }.filter { $0.image != nil }
    }
}
