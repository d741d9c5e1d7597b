import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension EndpointBody {
    /// The address as lines to print, with its secret where the answer has it.
    ///
    /// - Parameter times: the format of its times.
    func text(_ times: StoreTimes) -> String {
        let secretText = secret.map { "\($0) (shown this once)" }
        let key = signature == .asymmetric ? "public key" : "secret"
        let settings: [(name: String, text: String?)] = [
            ("id", id.rawValue), ("url", url), ("events", eventsText), ("store", store?.rawValue ?? "every store"),
            ("description", description),
        ]
        let state: [(name: String, text: String?)] = [
            ("state", stateText), ("failing since", failingSince.map { times.text($0, withSeconds: true) }),
            ("paused until", pausedUntil.map { times.text($0, withSeconds: true) }), ("waiting", Self.events(waiting)),
            ("signature", signature.rawValue), ("added", times.text(createdAt, withSeconds: true)), (key, secretText),
            ("former \(key)", formerSecretUntil.map { "signs too until \(times.text($0, withSeconds: true))" }),
            ("times are", times.zoneName),
        ]
        return NamedValues(settings + state).text
    }

    /// `1 event`, `12 events`.
    static func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }
}

extension [EndpointBody] {
    /// The endpoints, least healthy first.
    var table: Table {
        Table(
            ["STATE", "WAITING", "STORE", "EVENTS", "ID", "URL"], of: EndpointBody.worstFirst(self),
            ifEmpty: "no webhooks"
        ) { endpoint in
            [
                endpoint.state.rawValue + (endpoint.disabledReason.map { " (\($0))" } ?? ""),
                String(endpoint.waiting), endpoint.store?.rawValue ?? "every",
                endpoint.events.isEmpty ? "every" : String(endpoint.events.count), endpoint.id.rawValue, endpoint.url,
            ]
        }
    }
}
