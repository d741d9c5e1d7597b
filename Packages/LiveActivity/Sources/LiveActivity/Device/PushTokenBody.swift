public import Foundation

/// An APNs token, as an app sends it: a hexadecimal text alone, or an object that also has the time of its observation.
///
/// Of two tokens the one with the later (`observedAt`, `generation`) is kept, so that a late upload changes nothing.
public struct PushTokenBody: Codable, Hashable, Sendable {
    /// Apple's service of the token: that of development builds, or that of all others.
    public enum Environment: String, CaseIterable, Codable, Hashable, Sendable {
        case sandbox, production
    }

    /// Hex, of any even length: Apple's documentation demands no assumption about it.
    public var value: String
    public var environment: Environment
    /// When the app received it, by the device's clock; nil on a bare text, which counts as observed when it arrives.
    public var observedAt: Date?
    /// Counts the tokens that the app received, so that two of one moment have an order.
    public var generation: Int

    public init(
        value: String, environment: Environment = .production, observedAt: Date? = nil, generation: Int = 0
    ) {
        self.value = value
        self.environment = environment
        self.observedAt = observedAt
        self.generation = generation
    }

    private enum CodingKeys: String, CodingKey { case value, environment, observedAt, generation }

    public init(from decoder: any Decoder) throws {
        // A body that is no string is decoded as an object below, and that error is thrown.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(value: text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            value: try container.decode(String.self, forKey: .value),
            environment: try container.decode(Environment.self, forKey: .environment),
            observedAt: try container.decode(Date.self, forKey: .observedAt),
            generation: try container.decode(Int.self, forKey: .generation))
    }

    public func encode(to encoder: any Encoder) throws {
        guard let observedAt else {
            var container = encoder.singleValueContainer()
            return try container.encode(value)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(environment, forKey: .environment)
        try container.encode(observedAt, forKey: .observedAt)
        try container.encode(generation, forKey: .generation)
    }
}

/// A registration's change of a token: another token, or with `null` its removal.
public enum PushTokenChange: Codable, Hashable, Sendable {
    case set(PushTokenBody)
    case forget

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .forget : .set(try container.decode(PushTokenBody.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .set(let token): try container.encode(token)
        case .forget: try container.encodeNil()
        }
    }
}

extension KeyedDecodingContainer {
    /// Distinguishes `null` from an absent key, which synthesized decoding of an optional does not.
    func decodeIfPresent(_ type: PushTokenChange.Type, forKey key: Key) throws -> PushTokenChange? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
