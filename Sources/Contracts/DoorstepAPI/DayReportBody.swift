public import Foundation
public import OrderDomain

/// The numbers of one day, in all and by store and courier.
///
/// Each store's day is that of its own time zone. A delivery counts by the time of its event: where it was placed
/// yesterday and delivered today, it is placed yesterday and delivered today.
public struct DayReportBody: Codable, Sendable {
    /// The day of the request: `today`, `yesterday` or a date.
    public let day: String
    /// Domain time of the report.
    public let asOf: Date
    /// Deliveries placed.
    public let placed: Int
    public let figures: Figures
    /// The stores with an event on the day, by their names.
    public let stores: [StoreRow]
    /// The couriers of these deliveries, by their names.
    public let couriers: [CourierRow]
    /// Cancellations by reason, the most frequent first.
    public let cancellations: [Cancellation]
    /// Buttons of cards that changed a delivery, the most frequent first; nil of a service before 0.26.
    public let presses: [Press]?

    public init(
        day: String, asOf: Date, placed: Int, figures: Figures, stores: [StoreRow], couriers: [CourierRow],
        cancellations: [Cancellation], presses: [Press]? = nil
    ) {
        self.day = day
        self.asOf = asOf
        self.placed = placed
        self.figures = figures
        self.stores = stores
        self.couriers = couriers
        self.cancellations = cancellations
        self.presses = presses
    }

    /// The events of a day that a courier may have a part in.
    public struct Figures: Hashable, Codable, Sendable {
        /// Deliveries handed over; the sum of early, in the window and late.
        public let delivered: Int
        /// Delivered a minute or more before the beginning of the window that was promised first.
        public let early: Int
        public let inWindow: Int
        /// Delivered a minute or more after the end of the window that was promised first.
        public let late: Late
        /// Failed attempts at a door; one delivery may have several.
        public let attempts: Int
        public let cancelled: Int
        public let returned: Int
        public let failed: Int
        /// Of the arrival that customers saw last; nil without one.
        public let lastEstimate: EstimateError?
        /// Of the arrival that customers saw ten minutes before; nil without one.
        public let tenMinuteEstimate: EstimateError?
        /// Customers' word after the end; nil for couriers, whom it does not rate.
        public let feedback: Feedback?

        public init(
            delivered: Int, early: Int, inWindow: Int, late: Late, attempts: Int, cancelled: Int, returned: Int,
            failed: Int, lastEstimate: EstimateError? = nil, tenMinuteEstimate: EstimateError? = nil,
            feedback: Feedback? = nil
        ) {
            self.delivered = delivered
            self.early = early
            self.inWindow = inWindow
            self.late = late
            self.attempts = attempts
            self.cancelled = cancelled
            self.returned = returned
            self.failed = failed
            self.lastEstimate = lastEstimate
            self.tenMinuteEstimate = tenMinuteEstimate
            self.feedback = feedback
        }
    }

    /// Customers' word after the end, of deliveries that were delivered on the day.
    public struct Feedback: Hashable, Codable, Sendable {
        public let allRight: Int
        public let missing: Int
        public let damaged: Int
        public let notMine: Int
        public let notHere: Int

        /// - Parameter counts: deliveries by the kind of their feedback.
        public init(_ counts: [DeliveryFeedback.Kind: Int]) {
            allRight = counts[.allRight] ?? 0
            missing = counts[.missing] ?? 0
            damaged = counts[.damaged] ?? 0
            notMine = counts[.notMine] ?? 0
            notHere = counts[.notHere] ?? 0
        }

        /// Deliveries with a problem of any kind.
        public var problems: Int { missing + damaged + notMine + notHere }
    }

    /// How far shown arrivals were off, of deliveries that ended on the day.
    public struct EstimateError: Hashable, Codable, Sendable {
        /// Arrivals at a door that an arrival had been shown for.
        public let arrivals: Int
        /// The mean difference between the shown and the actual arrival, without its sign.
        public let meanSeconds: Int

        public init(arrivals: Int, meanSeconds: Int) {
            self.arrivals = arrivals
            self.meanSeconds = meanSeconds
        }
    }

    /// Late deliveries by the whole minutes between the promised window's end and the hand-over.
    public struct Late: Hashable, Codable, Sendable {
        public let upTo5Minutes: Int
        public let upTo15Minutes: Int
        public let upTo30Minutes: Int
        public let over30Minutes: Int

        public init(upTo5Minutes: Int, upTo15Minutes: Int, upTo30Minutes: Int, over30Minutes: Int) {
            self.upTo5Minutes = upTo5Minutes
            self.upTo15Minutes = upTo15Minutes
            self.upTo30Minutes = upTo30Minutes
            self.over30Minutes = over30Minutes
        }

        /// Late deliveries of all bands.
        public var count: Int { upTo5Minutes + upTo15Minutes + upTo30Minutes + over30Minutes }
    }

    /// One store's day.
    public struct StoreRow: Codable, Sendable {
        public let store: StoreID
        public let name: String
        /// IANA name of the zone of the store's day.
        public let timeZone: String
        /// The day's date in that zone, such as `2026-11-21`.
        public let date: String
        /// The day's first instant.
        public let start: Date
        /// The next day's first instant.
        public let end: Date
        public let placed: Int
        public let figures: Figures
        /// As in the whole report.
        public let presses: [Press]?

        public init(
            store: StoreID, name: String, timeZone: String, date: String, start: Date, end: Date, placed: Int,
            figures: Figures, presses: [Press]? = nil
        ) {
            self.store = store
            self.name = name
            self.timeZone = timeZone
            self.date = date
            self.start = start
            self.end = end
            self.placed = placed
            self.figures = figures
            self.presses = presses
        }
    }

    /// One courier's day, over all stores of the report.
    public struct CourierRow: Codable, Sendable {
        public let courier: CourierID
        public let name: String
        public let figures: Figures

        public init(courier: CourierID, name: String, figures: Figures) {
            self.courier = courier
            self.name = name
            self.figures = figures
        }
    }

    /// Cancellations with the same reason.
    public struct Cancellation: Hashable, Codable, Sendable {
        /// The customer-facing code, else the reason in words; `none` without one, and `other` beyond a hundred.
        public let reason: String
        public let count: Int

        public init(reason: String, count: Int) {
            self.reason = reason
            self.count = count
        }
    }

    /// Presses of one verb.
    public struct Press: Hashable, Codable, Sendable {
        /// An open code, such as `leave_at_door`.
        public let verb: String
        public let count: Int

        public init(verb: String, count: Int) {
            self.verb = verb
            self.count = count
        }
    }
}
