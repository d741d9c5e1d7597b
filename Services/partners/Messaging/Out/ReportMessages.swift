import DeliveryProviders
import Foundation
import Messages
import OrderDomain
import ReliableMessaging

/// Messages from providers' events: reports for `orders`, positions for `courier-eta`.
enum ReportMessages {
    /// - Throws: `EncodingError`.
    static func messages(
        of report: ProviderReport?, _ position: ReportedPosition? = nil, for delivery: DeliveryID
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
                        delivery: delivery, courier: position.courier, source: position.source,
                        coordinate: position.coordinate, at: position.at)))
        }
        return messages
    }
}
