package import DoorstepAPI
package import Foundation
package import OrderDomain

/// The place where another courier fetches a delivery: its store before pickup, and after that the courier who has it.
package enum FetchPlace: Hashable, Sendable {
    case store(name: String, location: Coordinate)
    case courier(CourierID, name: String)

    /// Nil for a delivery that has ended.
    package init?(_ delivery: DeliveryBody) {
        guard delivery.endedAt == nil else { return nil }
        let isPickedUp = delivery.courierStatus == nil
        if let carrier = delivery.fetchedFrom ?? (isPickedUp ? delivery.courier : nil) {
            self = .courier(carrier.id, name: carrier.name)
        } else {
            self = .store(name: delivery.store.name, location: delivery.store.location)
        }
    }

    package var name: String {
        switch self {
        case .store(let name, _), .courier(_, let name): name
        }
    }

    /// Nil for a courier without a recent position.
    fileprivate func location(_ positions: [CourierID: Coordinate]) -> Coordinate? {
        switch self {
        case .store(_, let location): location
        case .courier(let courier, _): positions[courier]
        }
    }
}

/// A courier who may get deliveries, with the distance to where these are fetched.
package struct CourierChoice: Hashable, Sendable {
    /// Seconds after which a position is ignored: a resting phone sends few, and others move on.
    private static let positionAgeMax: TimeInterval = 600

    package let courier: CouriersBody.Row
    /// As the crow flies; nil where a position is missing or old.
    package let metres: Double?

    /// Orders couriers by duty, then by the distance to a place, then by their number of deliveries.
    ///
    /// - Parameters:
    ///   - place: nil where it is not known.
    ///   - now: domain time.
    package static func ranked(
        _ couriers: [CouriersBody.Row], at positions: [CourierPositionBody], toFetchFrom place: FetchPlace?, now: Date
    ) -> [CourierChoice] {
        let recent = Dictionary(
            positions.compactMap { position in
                position.coordinate(since: now.addingTimeInterval(-positionAgeMax)).map { (position.courier, $0) }
            }
        ) { $1 }
        let goods = place?.location(recent)
        let choices = couriers.map { courier in
            CourierChoice(
                courier: courier, metres: goods.flatMap { recent[courier.courier]?.distance(to: $0) })
        }
        func rank(_ choice: CourierChoice) -> (Int, Double, Int, CourierID) {
            let courier = choice.courier
            return (courier.onDuty ? 0 : 1, choice.metres ?? .infinity, courier.deliveries, courier.courier)
        }
        return choices.sorted { rank($0) < rank($1) }
    }

    /// The facts that a choice depends on: `mira Mira, on duty, 2 deliveries, 1.2 km away`.
    package var text: String { courier.choiceText + (metres.map { ", \(Self.text(metres: $0)) away" } ?? "") }

    /// Kilometres with one decimal below ten: `0.4 km`, `12 km`.
    private static func text(metres: Double) -> String {
        let tenths = Int((metres / 100).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) km" : "\(Int((metres / 1_000).rounded())) km"
    }
}

extension CourierPositionBody {
    /// The place of the latest fix; nil for an earlier one.
    fileprivate func coordinate(since earliest: Date) -> Coordinate? {
        guard let latest, latest.time >= earliest else { return nil }
        return Coordinate(latitude: latest.latitude, longitude: latest.longitude)
    }
}
