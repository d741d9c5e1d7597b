/// Why APNs refuses a request, in its own words.
///
/// - Source: Apple, "Handling notification responses from APNs".
public enum APNsReason: Sendable, Hashable {
    case badCollapseID, badDeviceToken, badExpirationDate, badMessageID, badPriority, badTopic
    case deviceTokenNotForTopic, duplicateHeaders, idleTimeout, invalidPushType, missingDeviceToken, missingTopic
    case payloadEmpty, topicDisallowed
    case badCertificate, badCertificateEnvironment, badEnvironmentKeyID, expiredProviderToken, forbidden
    case invalidProviderToken, missingProviderToken, unrelatedKeyID
    case badPath, methodNotAllowed
    case expiredToken, unregistered
    case payloadTooLarge
    case tooManyProviderTokenUpdates, tooManyRequests
    case internalServerError, serviceUnavailable, shutdown
    /// A reason that is not known here, as APNs wrote it; empty where the answer had none that can be read.
    case other(String)
}

/// The remedy for a refusal; the raw value is the metric's label.
public enum APNsRemedy: String, Sendable, Hashable, CaseIterable {
    /// The token is invalid for this environment and topic: delete it; with a time, only if it was stored before.
    case dropToken = "drop_token"
    /// Key, topic or address are wrong: stop sending until a person has changed the configuration.
    case fixConfiguration = "fix_configuration"
    /// APNs rejected the provider token; ``APNsClient/APNsClient`` has already applied the possible remedies.
    case authentication
    /// Send the newest state later.
    case wait
    /// The client has left the connection; send again.
    case reconnect
    /// The request was wrong, and would be again: do not repeat it.
    case ourMistake = "our_mistake"
}

extension APNsReason {
    /// The reason of this name.
    public init(_ name: String) {
        self = Self.byName[name] ?? .other(name)
    }

    /// The reason's name in APNs' answers.
    public var name: String {
        if case .other(let name) = self { return name }
        return Self.table.first { $0.reason == self }?.name ?? ""
    }

    /// The remedy; nil for an unknown reason.
    public var remedy: APNsRemedy? { Self.remedies[self] }

    private static let byName = Dictionary(
        table.map { ($0.name, $0.reason) } + [
            // As some copies of Apple's page spell it.
            ("BadEnvironmentKeyInToken", .badEnvironmentKeyID)
        ], uniquingKeysWith: { first, _ in first })

    private static let remedies = Dictionary(
        table.map { ($0.reason, $0.remedy) }, uniquingKeysWith: { first, _ in first })

    private static let table: [(name: String, reason: APNsReason, remedy: APNsRemedy)] = [
        ("BadCollapseId", .badCollapseID, .ourMistake),
        ("BadDeviceToken", .badDeviceToken, .dropToken),
        ("BadExpirationDate", .badExpirationDate, .ourMistake),
        ("BadMessageId", .badMessageID, .ourMistake),
        ("BadPriority", .badPriority, .ourMistake),
        ("BadTopic", .badTopic, .fixConfiguration),
        ("DeviceTokenNotForTopic", .deviceTokenNotForTopic, .dropToken),
        ("DuplicateHeaders", .duplicateHeaders, .ourMistake),
        ("IdleTimeout", .idleTimeout, .reconnect),
        ("InvalidPushType", .invalidPushType, .ourMistake),
        ("MissingDeviceToken", .missingDeviceToken, .ourMistake),
        ("MissingTopic", .missingTopic, .fixConfiguration),
        ("PayloadEmpty", .payloadEmpty, .ourMistake),
        ("TopicDisallowed", .topicDisallowed, .fixConfiguration),
        ("BadCertificate", .badCertificate, .fixConfiguration),
        ("BadCertificateEnvironment", .badCertificateEnvironment, .fixConfiguration),
        ("BadEnvironmentKeyIdInToken", .badEnvironmentKeyID, .fixConfiguration),
        ("ExpiredProviderToken", .expiredProviderToken, .authentication),
        ("Forbidden", .forbidden, .fixConfiguration),
        ("InvalidProviderToken", .invalidProviderToken, .fixConfiguration),
        ("MissingProviderToken", .missingProviderToken, .fixConfiguration),
        ("UnrelatedKeyIdInToken", .unrelatedKeyID, .reconnect),
        ("BadPath", .badPath, .ourMistake),
        ("MethodNotAllowed", .methodNotAllowed, .ourMistake),
        ("ExpiredToken", .expiredToken, .dropToken),
        ("Unregistered", .unregistered, .dropToken),
        ("PayloadTooLarge", .payloadTooLarge, .ourMistake),
        ("TooManyProviderTokenUpdates", .tooManyProviderTokenUpdates, .authentication),
        ("TooManyRequests", .tooManyRequests, .wait),
        ("InternalServerError", .internalServerError, .wait),
        ("ServiceUnavailable", .serviceUnavailable, .reconnect),
        ("Shutdown", .shutdown, .reconnect),
    ]
}

extension APNsRemedy {
    /// The remedy for a status without a known reason.
    init(status: Int) {
        switch status {
        case 401, 403: self = .fixConfiguration
        case 410: self = .dropToken
        case 503: self = .reconnect
        // A proxy on the way sent a redirection, and may not do so the next time.
        case 300..<400, 429, 500...: self = .wait
        default: self = .ourMistake
        }
    }
}
