import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import WireCoding

@testable import Doorstep

/// One delivery as the three services tell it, at half past six on a Saturday in Copenhagen.
enum SampleStory {
    static let placedAt = Date(timeIntervalSince1970: 1_795_280_400)

    static func id<ID: Identifier>(_ text: String) -> ID {
        guard let id = ID(rawValue: text) else { preconditionFailure("\(text) is no identifier") }
        return id
    }

    static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else { preconditionFailure("off earth") }
        return place
    }

    static func delivery(
        number: Int = 1, door: Double = 55.7205, _ changes: [DeliveryChange] = [], at now: Date = placedAt
    ) -> DeliveryBody {
        DeliveryBody(whole(number: number, door: door, changes, at: now), links: [])
    }

    private static func whole(
        number: Int = 1, door: Double = 55.7205, _ changes: [DeliveryChange], at now: Date = placedAt
    ) -> Delivery {
        let text = "00000000-0000-4000-8000-00000000000\(number)"
        guard let promise = Promise(start: placedAt.addingTimeInterval(1200), end: placedAt.addingTimeInterval(3000)),
            let handoff = Handoff(method: .handToCustomer, verification: .none)
        else { preconditionFailure("a promise ends after it starts") }
        var delivery = Delivery(
            id: id(text), order: id("00000000-0000-4000-8000-0000000000aa"), reference: "A-1043", customer: id("mette"),
            store: Store(
                id: id("nordhavn"), name: "Nordhavn", location: place(55.7085, 12.5942), timeZone: "Europe/Copenhagen"),
            bag: Bag(number: number, count: 2), door: place(door, 12.5712), promise: promise, handoff: handoff,
            items: [Item(id: id("milk"), name: "Milk", quantity: 2, ifUnavailable: .ask)], placedAt: placedAt)
        for change in changes {
            do { _ = try delivery.apply(change, at: now) } catch { preconditionFailure("\(change): \(error)") }
        }
        return delivery
    }

    static let mira = Courier(id: id("mira"), name: "Mira", vehicle: .bicycle, phone: nil)
    static let toEnRoute: [DeliveryChange] = [
        .status(.accepted, reason: nil), .status(.picking, reason: nil), .courier(mira), .status(.staged, reason: nil),
        .status(.pickedUp, reason: nil), .status(.enRoute, reason: nil),
    ]

    static func at(_ minutes: Double) -> Date { placedAt.addingTimeInterval(minutes * 60) }

    static func orders(_ delivery: DeliveryBody) -> DeliveryStory.Orders {
        .init(
            delivery: delivery,
            entries: [
                .init(at: at(0), version: 1, kind: "placed", what: "placed", by: "store nordhavn", reason: nil),
                .init(at: at(4), version: 4, kind: "courier", what: "nobody → Mira", by: "operator ada", reason: nil),
                .init(
                    at: at(12), version: 6, kind: "status", what: "picked_up → en_route", by: "courier mira",
                    reason: "left the store"),
            ])
    }

    static func estimate(arriving minutes: Double) -> EstimateBody {
        let estimate = Estimate(
            arrivesAt: at(minutes), earliest: at(minutes - 3), latest: at(minutes + 5), madeAt: at(13))
        return EstimateBody(
            delivery: delivery().id, version: 6, step: 2, estimate: estimate, published: estimate, lastFixAt: at(13.5),
            milestones: [.init(milestone: .leftStore, at: at(11.5))])
    }

    static func activity(isBehind: Bool, _ changes: [DeliveryChange] = toEnRoute) -> ActivityBody {
        let body = delivery(changes)
        let wanted = ActivityStep.after(snapshot(changes), arrival: nil, step: 2)
        let revision = Revision(version: body.version, step: isBehind ? 1 : 2)
        let card = CardBody(
            card: "c1", device: "iphone-1", transport: "apns", state: "active", sent: revision,
            timestamp: at(13).epochSeconds, answered: "taken", assumedShown: revision, startedAt: at(2),
            dismissedAt: nil, isBehind: isBehind, why: isBehind ? "budget" : nil)
        return ActivityBody(
            id: body.activity.rawValue, customer: "mette", delivery: body.id.rawValue, wanted: wanted, wantedAt: at(13),
            cards: [card],
            timeline: [
                .init(
                    at: at(12.1), kind: "push", device: "iphone-1", card: "c1", what: "update", priority: 10,
                    timestamp: at(12.1).epochSeconds, revision: Revision(version: 6, step: 0),
                    alert: "\(body.activity)/on-the-way", result: "taken"),
                .init(
                    at: at(12.5), kind: "override", device: nil, card: nil, what: "resend", by: "ada",
                    reason: "customer asked"),
            ])
    }

    private static func snapshot(_ changes: [DeliveryChange]) -> DeliverySnapshot {
        DeliverySnapshot(whole(changes), links: [])
    }
}
