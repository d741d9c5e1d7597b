public import ArgumentParser
public import DoorstepAPI
public import OrderDomain

extension CourierID: ExpressibleByArgument {}
extension StoreID: ExpressibleByArgument {}
extension EndpointID: ExpressibleByArgument {}
extension EventID: ExpressibleByArgument {}
extension SourceID: ExpressibleByArgument {}
extension NewEndpointBody.SignatureVersion: ExpressibleByArgument {}
extension EventDeliveryBody.State: ExpressibleByArgument {}
extension ReceiptBody.State: ExpressibleByArgument {}

extension WebhookEventType {
    /// The event that a person wrote.
    ///
    /// - Throws: `ValidationError` that lists them all.
    static func argument(_ text: String) throws -> WebhookEventType {
        guard let type = WebhookEventType(rawValue: text) else {
            throw ValidationError(
                "there is no event \(text); one of \(WebhookEventType.all.map(\.rawValue).joined(separator: ", "))")
        }
        return type
    }
}
