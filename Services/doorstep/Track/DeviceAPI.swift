import Foundation
import NIOHTTP1
import PhoneRules
import WireCoding

/// What a device tells `activity-dispatch` about itself and its screen.
struct DeviceAPI: Sendable {
    /// What the server knows this client as.
    static let appVersion = "doorstep-cli 1"

    let client: APIClient
    let settings: CustomerSettings
    /// Base URL of `activity-dispatch`.
    let url: String
    let device: String
    let locale: String
    let timeZone: String

    private struct DeviceBody: Encodable {
        let transport = "stream"
        let locale: String
        let timeZone: String
        let activitiesEnabled: Bool
        let appVersion = DeviceAPI.appVersion
    }

    /// What happened to a card on this screen.
    struct Report: Encodable, Hashable, Sendable {
        enum Kind: String, Encodable, Sendable {
            case started, ended, dismissed
        }

        let card: String
        let kind: Kind
        /// Of the newest push that the card shows, epoch seconds.
        let timestamp: Int
        /// The domain's clock.
        let at: Date

        /// Nil for what the server need not know.
        init?(_ event: CardEvent) {
            switch event.kind {
            case .start: kind = .started
            case .end:
                guard event.card.wasEndedBySystem else { return nil }
                kind = .ended
            case .dismissed: kind = .dismissed
            case .update, .stale: return nil
            }
            card = event.card.id
            timestamp = event.card.timestamp
            at = Date(timeIntervalSince1970: TimeInterval(event.at))
        }

        /// What a card is now, for a server that may have missed how it came to be; nil for an end of the server's own.
        init?(_ card: PhoneCard, now: Int) {
            switch card.state {
            case .pending, .active, .stale: kind = .started
            case .ended:
                guard card.wasEndedBySystem else { return nil }
                kind = .ended
            case .dismissed: kind = .dismissed
            }
            self.card = card.id
            timestamp = card.timestamp
            at = Date(timeIntervalSince1970: TimeInterval(card.dismissedAt.map { min($0, now) } ?? card.startedAt))
        }
    }

    /// Reports that are sent at once at most; more than a phone remembers.
    static let reportsMax = 100

    private struct ReportsBody: Encodable {
        let reports: [Report]
    }

    /// Registers the device, or brings what the server knows of it up to date.
    func register(activitiesEnabled: Bool) async throws {
        let body = DeviceBody(locale: locale, timeZone: timeZone, activitiesEnabled: activitiesEnabled)
        let answer = try await client.send(
            .PUT, path(""), token: settings.token(), json: WireJSON.encode(body))
        if let refusal = answer.refusal { throw refusal }
    }

    /// Tells what happened on the screen; what does not arrive is told again when the stream next opens.
    func report(_ reports: [Report]) async {
        guard !reports.isEmpty, let token = try? settings.token(),
            let body = try? WireJSON.encode(ReportsBody(reports: Array(reports.suffix(Self.reportsMax))))
        else { return }
        _ = try? await client.send(.POST, path("/reports"), token: token, json: body)
    }

    var streamURL: String { path("/stream") }

    private func path(_ rest: String) -> String { "\(url)/v1/devices/\(device)\(rest)" }
}
