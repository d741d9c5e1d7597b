import ArrivalEstimate

/// Why a fix is ignored; the raw value is the metric's label and the key in our own response.
enum DropReason: String, CaseIterable, Hashable, Sendable {
    /// The fix is unreadable, or has no time.
    case malformed
    /// The position is not on earth, or marked as invalid by the phone.
    case invalid
    /// 0° north, 0° east: the default of a phone without a position.
    case zero
    /// Measured more than two minutes after we received it.
    case future
    /// Measured more than a day before we received it.
    case old
    /// The accuracy radius is wider than 200 m.
    case inaccurate
    /// A fix of that moment was received before.
    case duplicate
    /// No courier moves this fast; recorded, believed only once a later fix confirms it.
    case tooFast = "too_fast"
    /// The position is from a mock-location app.
    case mock
    /// Measured while the courier was not on duty.
    case offDuty = "off_duty"
    /// Beyond the number of fixes that a request may have.
    case tooMany = "too_many"
    /// The fix is in an unread body beyond the size limit.
    case tooLarge = "too_large"
    /// Beyond the phone's rate limit.
    case overRate = "over_rate"

    init(_ fault: FixFault) {
        self =
            switch fault {
            case .invalid: .invalid
            case .zero: .zero
            case .future: .future
            case .old: .old
            case .inaccurate: .inaccurate
            case .duplicate: .duplicate
            case .tooFast: .tooFast
            }
    }
}

/// The number of dropped fixes, by reason.
typealias Drops = [DropReason: Int]

extension [DropReason: Int] {
    mutating func count(_ reason: DropReason, _ number: Int = 1) {
        if number > 0 { self[reason, default: 0] += number }
    }
}
