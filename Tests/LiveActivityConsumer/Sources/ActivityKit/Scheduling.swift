public import Foundation

public enum ActivityStyle: Codable, Hashable, Sendable {
    case standard, transient
}

public struct AlertConfiguration: Hashable, Sendable {
    public struct AlertSound: Hashable, Sendable {
        /// Nil for the system's own.
        let name: String?

        public static let `default` = AlertSound(name: nil)
        public static func named(_ soundName: String) -> AlertConfiguration.AlertSound { AlertSound(name: soundName) }
    }

    public let title: LocalizedStringResource
    public let body: LocalizedStringResource
    public let sound: AlertConfiguration.AlertSound

    public init(title: LocalizedStringResource, body: LocalizedStringResource, sound: AlertConfiguration.AlertSound) {
        self.title = title
        self.body = body
        self.sound = sound
    }
}

/// Apple's is Foundation's, which Linux has not.
public struct LocalizedStringResource: ExpressibleByStringLiteral, Hashable, Sendable {
    public let key: String
    let arguments: [String]

    public init(stringLiteral value: String) { (key, arguments) = (value, []) }
    public init(_ keyAndValue: String.LocalizationValue) {
        (key, arguments) = (keyAndValue.key, keyAndValue.arguments)
    }
}

extension String {
    /// Apple's is Foundation's, which Linux has not.
    public struct LocalizationValue: ExpressibleByStringInterpolation {
        let key: String
        let arguments: [String]

        public init(stringLiteral value: String) { (key, arguments) = (value, []) }
        public init(stringInterpolation: StringInterpolation) {
            (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
        }

        public struct StringInterpolation: StringInterpolationProtocol {
            var key = ""
            var arguments: [String] = []

            public init(literalCapacity: Int, interpolationCount: Int) {}

            public mutating func appendLiteral(_ literal: String) { key += literal }
            public mutating func appendInterpolation(_ string: String) {
                key += "%@"
                arguments.append(string)
            }
        }
    }
}

extension Activity {
    public static func request(
        attributes: Attributes, content: ActivityContent<Activity<Attributes>.ContentState>, pushType: PushType? = nil,
        style: ActivityStyle, alertConfiguration: AlertConfiguration, start: Date
    ) throws -> Activity<Attributes> {
        let activity = try request(attributes: attributes, content: content, pushType: pushType)
        let id = activity.id
        ActivityKitStandIn.change { system in
            system.entries[id]?.activityState = .pending
            system.entries[id]?.alert = alertConfiguration
            system.entries[id]?.start = start
            return ((), [])
        }
        return activity
    }
}

extension ActivityKitStandIn {
    /// What a scheduled activity was requested with: the key of its alert's title with its values, the sound, and its
    /// start.
    public static func schedule(
        of instance: String
    ) -> (key: String, arguments: [String], sound: AlertConfiguration.AlertSound, start: Date)? {
        system.withLock { system in
            guard let entry = system.entries[instance], let alert = entry.alert, let start = entry.start else {
                return nil
            }
            return (alert.title.key, alert.title.arguments, alert.sound, start)
        }
    }
}
