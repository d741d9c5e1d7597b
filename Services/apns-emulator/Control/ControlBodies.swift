import Crypto
import EmulatorAPI
import LiveActivity

struct PhonesBody: Codable, Sendable {
    let phones: [String]
}

struct FaultsBody: Codable, Sendable {
    let faults: [Fault]
}

/// `POST /connections`: an action on every connection of providers.
struct ConnectionsBody: ControlBody {
    enum Action: String, Codable, Sendable {
        case goAway = "goaway"
        case close
    }

    let action: Action
    /// With `goaway`.
    var reason: String?

    enum CodingKeys: String, CodingKey, CaseIterable { case action, reason }
}

/// The phones' time, read and set at `/clock`.
///
/// A script moves it forwards, lets it run at a rate, or stops it with 0.
struct ClockBody: ControlBody {
    /// Epoch seconds.
    var now: Int?
    var rate: Double?
    /// Seconds that the time which providers' tokens are checked against is ahead of the wall clock.
    var serviceSkewSeconds: Int?

    enum CodingKeys: String, CodingKey, CaseIterable { case now, rate, serviceSkewSeconds }
}

/// `POST /keys`: a further key of a provider.
struct KeyBody: ControlBody {
    let keyID: String
    let teamID: String
    /// PEM.
    let publicKey: String
    var environments: [APNsEnvironment]?
    /// The full topics of a topic-specific key; nil for all.
    var topics: [String]?

    enum CodingKeys: String, CodingKey, CaseIterable { case keyID, teamID, publicKey, environments, topics }

    var key: SigningKey? {
        // The caller answers nil with a problem that names `publicKey`.
        guard let parsed = try? P256.Signing.PublicKey(pemRepresentation: publicKey) else { return nil }
        return SigningKey(
            keyID: keyID, teamID: teamID, publicKey: parsed,
            environments: Set(environments ?? APNsEnvironment.allCases), topics: topics.map(Set.init))
    }
}

struct StatisticsBody: Codable, Sendable {
    let connections: Int
    let statistics: PushService.Statistics
}

/// The faults of a request (RFC 9457).
struct ProblemBody: Codable, Sendable {
    let title: String
    let status: Int
    let detail: String
}
