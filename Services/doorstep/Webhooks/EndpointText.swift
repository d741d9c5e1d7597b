import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// One address that events are sent to as lines to print, with its secret where the answer has it.
struct EndpointText {
    let text: String

    init(_ endpoint: EndpointBody) {
        let secret = endpoint.secret.map { "\($0) (shown this once)" }
        let key = endpoint.signature == .asymmetric ? "public key" : "secret"
        let settings: [(name: String, text: String?)] = [
            ("id", endpoint.id.rawValue), ("url", endpoint.url), ("events", endpoint.eventsText),
            ("store", endpoint.store?.rawValue ?? "every store"), ("description", endpoint.description),
        ]
        let state: [(name: String, text: String?)] = [
            ("state", endpoint.stateText), ("failing since", endpoint.failingSince.map { WireJSON.text(of: $0) }),
            ("paused until", endpoint.pausedUntil.map { WireJSON.text(of: $0) }),
            ("waiting", Self.events(endpoint.waiting)), ("signature", endpoint.signature.rawValue),
            ("added", WireJSON.text(of: endpoint.createdAt)), (key, secret),
            ("former \(key)", endpoint.formerSecretUntil.map { "signs too until \(WireJSON.text(of: $0))" }),
        ]
        text = NamedValues(settings + state).lines.joined(separator: "\n")
    }

    /// `1 event`, `12 events`.
    static func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }
}
