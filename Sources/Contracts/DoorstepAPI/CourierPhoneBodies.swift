public import Foundation
public import OrderDomain

/// An app on a courier's phone that sends positions.
public enum TrackerApp: String, CaseIterable, Codable, Hashable, Sendable {
    case ownTracks = "owntracks"
    case traccar
    case osmAnd = "osmand"
    case overland
    case gpsLogger = "gpslogger"
    /// Our own batch, `POST /v1/fixes`.
    case doorstep
}

/// The request body of `POST /v1/couriers/{id}/phones`, which enrols a phone.
public struct EnrolPhoneBody: Codable, Sendable {
    /// The app that will send; nil where that is not decided, since the token is valid for each.
    public var app: TrackerApp?
    /// The phone's display name; 1 to 64 characters.
    public var label: String?

    public init(app: TrackerApp? = nil, label: String? = nil) {
        self.app = app
        self.label = label
    }
}

/// A phone that may send a courier's fixes, or might once.
public struct PhoneBody: Codable, Hashable, Sendable {
    public let phone: String
    public let courier: CourierID
    public let app: TrackerApp?
    public let label: String?
    public let enrolledAt: Date
    public let enrolledBy: String
    public let revokedAt: Date?
    public let revokedBy: String?
    /// When it last sent a position, to the minute.
    public let lastSeenAt: Date?
    /// Positions that could not be read since it was enrolled; nil where the service does not count them yet.
    public let malformed: Int?
    /// When the last of these was noticed, to the minute.
    public let malformedAt: Date?

    private enum CodingKeys: String, CodingKey {
        case phone, courier, app, label, enrolledAt, enrolledBy, revokedAt, revokedBy
        case lastSeenAt = "lastHeardAt"
        case malformed
        case malformedAt = "lastMalformedAt"
    }

    public init(
        phone: String, courier: CourierID, app: TrackerApp?, label: String?, enrolledAt: Date, enrolledBy: String,
        revokedAt: Date?, revokedBy: String?, lastSeenAt: Date?, malformed: Int? = nil, malformedAt: Date? = nil
    ) {
        self.phone = phone
        self.courier = courier
        self.app = app
        self.label = label
        self.enrolledAt = enrolledAt
        self.enrolledBy = enrolledBy
        self.revokedAt = revokedAt
        self.revokedBy = revokedBy
        self.lastSeenAt = lastSeenAt
        self.malformed = malformed
        self.malformedAt = malformedAt
    }
}

/// A phone as it was just enrolled.
public struct EnrolledPhoneBody: Codable, Hashable, Sendable {
    public let phone: PhoneBody
    /// The phone's credential; shown this once.
    public let token: String

    public init(phone: PhoneBody, token: String) {
        self.phone = phone
        self.token = token
    }
}

/// A courier's phones, newest first.
public struct PhonesBody: Codable, Hashable, Sendable {
    public let phones: [PhoneBody]

    public init(phones: [PhoneBody]) { self.phones = phones }
}

/// Begins a duty, at `PUT /v1/couriers/{id}/duty`.
public struct BeginDutyBody: Codable, Sendable {
    /// The end of the duty; by default in twelve hours, at most in sixteen.
    public var until: Date?

    public init(until: Date? = nil) { self.until = until }
}

/// Whether the service accepts a courier's positions now.
public struct DutyBody: Codable, Hashable, Sendable {
    public let courier: CourierID
    public let onDuty: Bool
    /// The cause of being on duty; nil off duty.
    public let because: Cause?
    /// When it ends by itself; nil off duty, and while it is a delivery that makes it so.
    public let until: Date?

    public enum Cause: String, Codable, Sendable {
        /// A delivery is theirs.
        case delivery
        /// The courier or an operator began it.
        case declared = "said"
    }

    public init(courier: CourierID, onDuty: Bool, because: Cause?, until: Date?) {
        self.courier = courier
        self.onDuty = onDuty
        self.because = because
        self.until = until
    }
}

/// Whether customers' maps may show a courier, at `/v1/couriers/{id}/map`.
public struct CourierMapBody: Codable, Hashable, Sendable {
    /// False exempts the courier from every map.
    public var isShown: Bool

    public init(isShown: Bool) { self.isShown = isShown }
}
