import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient

/// A device's wanted activities, so that its app can start cards itself without spending the budget of starts.
struct ShowWanted: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let transports: Transports
    /// Opens customers' PINs; nil where cards have none.
    var pins: PINBox?

    /// - Returns: nil when the device is not the customer's.
    func callAsFunction(
        _ id: DeviceID, of customer: CustomerID, within scope: TokenScope = TokenScope()
    ) async throws -> WantedBody? {
        guard let device = try await ActivityRepository.device(id, on: pool)?.device, device.customer == customer,
            device.isUsable(within: scope)
        else { return nil }
        let live = try await ActivityRepository.live(of: customer, on: pool)
        // An app in the foreground asks every half minute, mostly without an order.
        if live.isEmpty { return WantedBody(activities: []) }
        let cards = try await ActivityRepository.cards(on: id, of: live.map(\.id), in: pool).map(\.card)
        let wanted = wantedActivities(
            of: live, on: device, cards: cards, limits: transports.of(device)?.limits ?? .apns, now: clock.now)
        return WantedBody(activities: wanted.map { WantedBody.Activity($0, content: opened($0.shown)) })
    }

    /// The content with the PIN as the customer reads it.
    private func opened(_ shown: ShownActivity) -> GroceryDeliveryAttributes.ContentState {
        var content = shown.content
        let delivery = shown.attributes.delivery.flatMap(DeliveryID.init(rawValue:))
        content.pin = content.pin.flatMap { sealed in delivery.flatMap { pins?.open(sealed, of: $0) } }
        return content
    }
}

extension WantedBody.Activity {
    fileprivate init(_ wanted: WantedActivity, content: GroceryDeliveryAttributes.ContentState) {
        let shown = wanted.shown
        self.init(
            activity: wanted.id.rawValue, card: wanted.card?.uuidString.lowercased(), startAt: shown.startAt,
            attributes: shown.attributes, content: content, staleAt: shown.staleAt, relevance: shown.relevance,
            timestamp: wanted.timestamp, schedule: wanted.schedule)
    }
}
