import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// Endpoints and their health, providers' events without an effect, and the accounts at providers.
extension DeskHTTP {
    @Sendable func showWebhooks(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            var values: [String: Any] = [:]
            if readPartners.isConfigured {
                do {
                    let read = try await readPartners(for: reader.user)
                    values["read"] =
                        WebhooksValues(
                            read, now: clock.now, timeZone: board.timeZone, reader: reader.user
                        ).values
                } catch let outage as ServiceUnavailable {
                    values["fault"] = sentence(of: outage)
                }
            } else {
                values["fault"] =
                    "The desk does not know where partners is: set SERVICES_PARTNERS_URL. Webhooks need that service."
            }
            values["done"] = request.query("done").flatMap { Self.doneText(of: $0) }
            return .page(
                DeskPage.html("webhooks", values, title: "Webhooks", tab: .webhooks, for: reader, reading: nil))
        }
    }

    @Sendable func switchWebhook(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, verb) = (try context.path("id"), try context.path("verb"))
        return try await posting(request, as: .supervisor) { reader, _, _ in
            guard let endpoint = EndpointID(rawValue: id), let verb = WebhookSwitch(rawValue: verb) else {
                throw Problem.notFound()
            }
            try await changePartners.set(endpoint, isEnabled: verb == .enable, by: reader.user)
            return .seeOther("/webhooks?done=\(verb.rawValue)")
        }
    }

    @Sendable func dismissReceipt(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id")
        return try await posting(request, as: .supervisor) { reader, fields, _ in
            guard let receipt = UUID(uuidString: id) else { throw Problem.notFound() }
            try await changePartners.dismiss(receipt, reason: fields["reason"] ?? "", by: reader.user)
            return .seeOther("/webhooks?done=dismiss")
        }
    }

    private static func doneText(of verb: String) -> String? {
        verb == "dismiss"
            ? "The event is dismissed: it leaves the counts and is never applied."
            : WebhookSwitch(rawValue: verb)?.doneText
    }
}

/// A supervisor's action on an endpoint.
enum WebhookSwitch: String, Sendable {
    case enable, disable

    var title: String {
        switch self {
        case .enable: "Resume sending"
        case .disable: "Pause sending"
        }
    }

    var doneText: String {
        switch self {
        case .enable: "Doorstep sends events there again, from the oldest waiting one."
        case .disable: "Events wait until sending is resumed."
        }
    }
}

/// The values of the webhooks page, for its template.
struct WebhooksValues {
    let values: [String: Any]

    /// - Parameters:
    ///   - now: domain time.
    ///   - timeZone: of the stores on the board.
    init(_ read: ReadPartners.Result, now: Date, timeZone: TimeZone, reader: DeskUser) {
        let times = StoreTimes(timeZone: timeZone, now: now)
        let maySwitch = reader.may(.supervisor)
        values = [
            "endpoints": read.endpoints.map { Self.endpoint($0, times, now: now, maySwitch: maySwitch) },
            "hasNoEndpoints": read.endpoints.isEmpty, "zone": times.zoneName,
            "sources": read.sources.map { Self.source($0) }, "hasNoSources": read.sources.isEmpty,
            "pending": read.pending.map { Self.pending($0, times) }, "mayDismiss": maySwitch,
        ]
    }

    private static func endpoint(
        _ endpoint: EndpointBody, _ times: StoreTimes, now: Date, maySwitch: Bool
    ) -> [String: Any] {
        let verb: WebhookSwitch = endpoint.state == .disabled ? .enable : .disable
        let store = endpoint.store.map { "store \($0)" }
        var values: [String: Any] = [
            "id": endpoint.id.rawValue, "url": endpoint.url.withoutDirectionControls, "state": endpoint.stateText,
            "isWrong": endpoint.isWrong, "waiting": endpoint.waiting, "events": endpoint.eventsText,
            "store": store ?? "every store", "maySwitch": maySwitch,
            "verb": verb.rawValue, "button": verb.title,
        ]
        values["name"] = endpoint.description?.withoutDirectionControls
        values["failingSince"] = endpoint.failingSince.map { times.text($0) }
        values["pause"] = endpoint.pausedUntil.map { pause in
            pause > now ? "paused until \(times.text(pause))" : "last paused until \(times.text(pause))"
        }
        return values
    }

    private static func source(_ source: SourceBody) -> [String: Any] {
        let count = source.secrets.count
        let store = source.store.map { "store \($0)" }
        return [
            "id": source.id.rawValue, "provider": source.provider.withoutDirectionControls,
            "name": (source.name ?? source.provider).withoutDirectionControls,
            "store": store ?? "every store",
            "secrets": count == 1 ? "1 secret" : "\(count) secrets", "acceptsTest": source.acceptsTest,
        ]
    }

    private static func pending(_ pending: ReadPartners.Pending, _ times: StoreTimes) -> [String: Any] {
        [
            "kind": pending.kind.rawValue, "title": pending.kind.title, "advice": pending.kind.advice,
            "isEmpty": pending.receipts.isEmpty, "hasReceipts": !pending.receipts.isEmpty,
            "hasMore": pending.hasMore,
            "receipts": pending.receipts.map { receipt in
                [
                    "id": receipt.id, "event": receipt.kind.withoutDirectionControls,
                    "references": receipt.references.joined(separator: ", ").withoutDirectionControls,
                    "source": receipt.source.rawValue, "at": times.text(receipt.receivedAt, withSeconds: true),
                    "outcome": receipt.outcome,
                ] as [String: Any]
            },
        ]
    }
}
