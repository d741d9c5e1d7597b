import Foundation

/// The sums of cards' facts, which add up over hours, stores and versions.
struct CardTotals: Hashable, Sendable {
    /// A number that adds up; its raw value is the name of its column.
    enum Count: String, CaseIterable, Hashable, Sendable {
        /// Ended deliveries; a reopened one counts once for each of its ends.
        case deliveries
        /// Ended deliveries with a card on a screen.
        case deliveriesWithCard = "deliveries_with_card"
        /// Devices, each once for each delivery that it could have shown, by their permission.
        case devicesAllowed = "devices_allowed"
        case devicesNotAsked = "devices_not_asked"
        case devicesRefused = "devices_refused"
        case devicesSwitchedOff = "devices_switched_off"
        /// Without permission, of an app that reports no more than that.
        case devicesDisallowed = "devices_disallowed"
        /// Cards with a start, by a push or by the app, whether it was confirmed or not.
        case started
        /// Cards that were on a screen: confirmed by the app's report or its token.
        case cards
        /// Cards that a push to Apple started.
        case starts
        /// States that an update or an end carried to Apple.
        case changes
        case lateByThrottle = "late_throttle"
        case lateByBudget = "late_budget"
        case lateOffline = "late_offline"
        case lateWithoutToken = "late_no_token"
        case lateOtherwise = "late_other"
        /// Cards that their owner removed.
        case swiped
        /// Cards that were on a screen when their delivery ended.
        case ends
        case endsOnTime = "ends_on_time"
        /// Cards whose time on the screen is known.
        case timedCards = "timed_cards"
        case screenSeconds = "screen_seconds"
    }

    private var counts: [Count: Int] = [:]
    /// Seconds from a start to the app's first report of the card; starts without a report are missing.
    var startSeconds = DurationHistogram()
    /// Seconds from a change to the app's first report of it; changes without a report are missing.
    var changeSeconds = DurationHistogram()

    subscript(count: Count) -> Int {
        get { counts[count] ?? 0 }
        set { counts[count] = newValue == 0 ? nil : newValue }
    }

    /// The causes of late changes by their codes in reports and metrics.
    static let lateCauses: [(cause: String, count: Count)] = [
        ("throttle", .lateByThrottle), ("budget", .lateByBudget), ("offline", .lateOffline),
        ("no_token", .lateWithoutToken), ("other", .lateOtherwise),
    ]

    mutating func add(_ other: CardTotals) {
        counts.merge(other.counts, uniquingKeysWith: +)
        startSeconds.add(other.startSeconds)
        changeSeconds.add(other.changeSeconds)
    }
}

/// A stored row of totals.
struct CardTotalsRow: Hashable, Sendable {
    let key: CardTotalsKey
    let storeName: String
    /// IANA name of the zone of the store's day.
    let timeZone: String
    let spanStart: Date
    let totals: CardTotals
}

/// The row of totals that a card counts in: no person, device or delivery.
struct CardTotalsKey: Hashable, Sendable {
    let store: String
    /// The date of the store's day on which the delivery's end became known, such as `2026-11-21`.
    let day: String
    /// Empty where the app sent none, and of a delivery without a card.
    var appVersion = ""
    var osVersion = ""
    var transport = ""
}

/// The sums of one store, without its histograms.
struct StoreTotals: Hashable, Sendable {
    private(set) var counts = CardTotals()
    private(set) var startsShown = 0

    mutating func add(_ other: StoreTotals) {
        counts.add(other.counts)
        startsShown += other.startsShown
    }
}
