import APIClient
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
import PhoneRules
import StackClient
import WireCoding

/// A device's requests to `activity-dispatch`: its registration, and reports of its screen.
struct DeviceAPI: Sendable {
    /// The client's name and version as the server stores them.
    static let appVersion = "doorstep-cli 1"

    let client: APIClient
    let settings: CustomerSettings
    /// Base URL of `activity-dispatch`.
    let url: String
    let device: String
    let locale: String
    let timeZone: String
    /// The device's secret of its last registration; nil before the first.
    let secret: @Sendable () -> String?
    /// Keeps a secret for the next registrations.
    let keepSecret: @Sendable (String) throws -> Void

    /// Reports that are sent at once at most; more than a phone remembers.
    static let reportsMax = 100

    /// Identifies the server's present registration: a server that does not know the device's secret gives it another
    /// one, such as another server at the same address, or one whose database was lost.
    ///
    /// The first characters of the secret: enough to distinguish two, too few to be of use.
    var registration: String? { secret().map { String($0.prefix(8)) } }

    /// Registers the device, or updates its registration.
    func register(activitiesEnabled: Bool) async throws {
        let body = RegisterDeviceBody(
            transport: "stream", locale: locale, timeZone: timeZone, activitiesEnabled: activitiesEnabled,
            appVersion: Self.appVersion, secret: secret())
        let answer = try await client.send(
            .PUT, path(""), token: settings.token(), json: WireJSON.encode(body))
        if let secret = try answer.decode(Registered.self).secret { try keepSecret(secret) }
    }

    /// The used part of the answer to a registration.
    private struct Registered: Decodable {
        let secret: String?
    }

    /// Reports changes of the screen; the reports of the next opening cover lost ones.
    func report(_ reports: [ReportBody]) async {
        // The reports of the next opening cover these; the stream reports a missing token or service.
        guard !reports.isEmpty, let token = try? settings.token(),
            let body = try? WireJSON.encode(ReportsBody(reports: Array(reports.suffix(Self.reportsMax))))
        else { return }
        // The reports of the next opening cover lost ones.
        _ = try? await client.send(.POST, path("/reports"), token: token, json: body)
    }

    var streamURL: String { path("/stream") }

    private func path(_ rest: String) -> String { "\(url)/v1/devices/\(device)\(rest)" }
}

extension ReportBody {
    /// The report of a card's event on this screen; nil for an event that the server does not need.
    init?(_ event: CardEvent) {
        let kind: Kind
        switch event.kind {
        case .start: kind = .started
        case .end:
            guard event.card.wasEndedBySystem else { return nil }
            kind = .ended
        case .dismissed: kind = .dismissed
        case .update, .stale: return nil
        }
        self.init(
            card: event.card.id, activity: event.card.attributes.activity, kind: kind,
            revision: event.card.content.revision,
            at: Date(timeIntervalSince1970: TimeInterval(event.at)))
    }

    /// The revision that a card shows; nil for a card that shows none, or that the system has changed.
    init?(shown card: PhoneCard, at time: Int) {
        switch card.state {
        case .active, .stale: break
        case .ended where !card.wasEndedBySystem: break
        case .pending, .ended, .dismissed: return nil
        }
        self.init(
            card: card.id, activity: card.attributes.activity, kind: .shown, revision: card.content.revision,
            at: Date(timeIntervalSince1970: TimeInterval(time)))
    }

    /// The present state of a card, for a server that may have missed how it came about; nil for an end that the server
    /// sent itself.
    init?(_ card: PhoneCard, now: Int) {
        let kind: Kind
        switch card.state {
        case .pending, .active, .stale: kind = .started
        case .ended:
            guard card.wasEndedBySystem else { return nil }
            kind = .ended
        case .dismissed: kind = .dismissed
        }
        let at = card.dismissedAt.map { min($0, now) } ?? card.startedAt
        self.init(
            card: card.id, activity: card.attributes.activity, kind: kind, revision: card.content.revision,
            at: Date(timeIntervalSince1970: TimeInterval(at)))
    }
}
