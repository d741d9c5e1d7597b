import DeliveryProviders
import Foundation
import Messages
import OrderDomain
import ReliableMessaging

/// Messages from providers' events: reports for `orders`, positions for `courier-eta`.
enum ReportMessages {
    /// - Parameter store: the only store of the source that reported the position; nil for every store.
    /// - Throws: `EncodingError`.
    static func messages(
        of report: ProviderReport?, _ position: ReportedPosition? = nil, from store: StoreID? = nil,
        for delivery: DeliveryID
    ) throws -> [OutboxMessage] {
        var messages: [OutboxMessage] = []
        if let report {
            messages.append(
                try OutboxMessage(
                    subject: Subject.providersReported, key: delivery.rawValue,
                    encoding: ProviderReported(delivery: delivery, report: report)))
        }
        if let position {
            messages.append(
                try OutboxMessage(
                    subject: Subject.providerPositions, key: delivery.rawValue,
                    encoding: ProviderPosition(
                        delivery: delivery, courier: position.courier, source: position.source, store: store,
                        coordinate: position.coordinate, at: position.at)))
        }
        return messages
    }
}
