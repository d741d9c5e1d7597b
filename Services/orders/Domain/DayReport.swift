import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain

/// The numbers of one day, folded from events one by one: its memory grows with stores, couriers and reasons alone.
struct DayReport {
    /// Distinct reasons of cancellations that are counted apart; further ones count as `other`.
    static let reasonsMax = 100

    private let day: ReportDay
    private let now: Date
    private let stores: [StoreID: ReportedStore]
    private let days: [StoreID: LocalDay]
    private var total = Counts()
    private var byStore: [StoreID: Counts] = [:]
    private var byCourier: [CourierID: Counts] = [:]
    private var reasons: [String: Int] = [:]

    /// - Parameter stores: every store that an event may be of.
    init(_ day: ReportDay, stores: [StoreID: ReportedStore], now: Date) {
        self.day = day
        self.now = now
        self.stores = stores
        // A zone that is not known here counts as UTC, as on the board.
        days = stores.mapValues { day.localDay(in: TimeZone(identifier: $0.timeZone) ?? .gmt, now: now) }
    }

    /// The span of the stores' days; nil without stores.
    var span: (start: Date, end: Date)? {
        guard let start = days.values.map(\.start).min(), let end = days.values.map(\.end).max() else { return nil }
        return (start, end)
    }

    /// The couriers of the added events.
    var couriers: [CourierID] { byCourier.keys.sorted() }

    /// Adds an event, unless its time is outside the day of its store.
    mutating func add(_ event: ReportedEvent) {
        guard let day = days[event.store], day.contains(event.at) else { return }
        total.add(event)
        byStore[event.store, default: Counts()].add(event)
        if let courier = event.courier, event.kind.isOfCourier { byCourier[courier, default: Counts()].add(event) }
        if case .ended(.cancelled, _, let reason, _, _) = event.kind { count(reason: reason) }
    }

    private mutating func count(reason: String?) {
        let reason = reason ?? "none"
        let isCounted = reasons[reason] != nil || reasons.count < Self.reasonsMax
        reasons[isCounted ? reason : "other", default: 0] += 1
    }

    /// - Parameter names: couriers' names; a courier without one is named by the id.
    func body(names: [CourierID: String]) -> DayReportBody {
        DayReportBody(
            day: day.rawValue, asOf: now, placed: total.placed, figures: total.figures(), stores: storeRows,
            couriers: byCourier.map { id, counts in
                DayReportBody.CourierRow(
                    courier: id, name: names[id] ?? id.rawValue, figures: counts.figures(rates: false))
            }.sorted { ($0.name, $0.courier) < ($1.name, $1.courier) },
            cancellations: reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                DayReportBody.Cancellation(reason: $0.key, count: $0.value)
            }, presses: total.pressRows)
    }

    private var storeRows: [DayReportBody.StoreRow] {
        byStore.compactMap { id, counts -> DayReportBody.StoreRow? in
            guard let store = stores[id], let day = days[id] else { return nil }
            return DayReportBody.StoreRow(
                store: id, name: store.name, timeZone: store.timeZone, date: day.date, start: day.start,
                end: day.end, placed: counts.placed, figures: counts.figures(), presses: counts.pressRows)
        }.sorted { ($0.name, $0.store) < ($1.name, $1.store) }
    }

    private struct Counts {
        var placed = 0
        var early = 0
        var inWindow = 0
        var late: [LateBand: Int] = [:]
        var attempts = 0
        var cancelled = 0
        var returned = 0
        var failed = 0
        var lastEstimate = ErrorSum()
        var tenMinuteEstimate = ErrorSum()
        var feedback: [DeliveryFeedback.Kind: Int] = [:]
        var presses: [String: Int] = [:]

        var pressRows: [DayReportBody.Press] {
            presses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                DayReportBody.Press(verb: $0.key, count: $0.value)
            }
        }

        mutating func add(_ event: ReportedEvent) {
            if case .ended(_, _, _, let errors, let feedback) = event.kind {
                if let feedback { self.feedback[feedback, default: 0] += 1 }
                for error in errors where error.horizon == "last" { lastEstimate.add(error.seconds) }
                for error in errors where error.horizon == "10m" { tenMinuteEstimate.add(error.seconds) }
            }
            switch event.kind {
            case .placed: placed += 1
            case .attempted: attempts += 1
            case .pressed(let verb): presses[verb, default: 0] += 1
            case .ended(.delivered, let promise, _, _, _):
                switch Punctuality(of: event.at, in: promise) {
                case .early: early += 1
                case .asPromised: inWindow += 1
                case .late(let minutes): late[LateBand(minutes: minutes), default: 0] += 1
                }
            case .ended(.cancelled, _, _, _, _): cancelled += 1
            case .ended(.returned, _, _, _, _): returned += 1
            case .ended(.failed, _, _, _, _): failed += 1
            }
        }

        /// - Parameter rates: whether customers' feedback is among the figures.
        func figures(rates: Bool = true) -> DayReportBody.Figures {
            .init(
                delivered: early + inWindow + late.values.reduce(0, +), early: early, inWindow: inWindow,
                late: .init(
                    upTo5Minutes: late[.upTo5Minutes] ?? 0, upTo15Minutes: late[.upTo15Minutes] ?? 0,
                    upTo30Minutes: late[.upTo30Minutes] ?? 0, over30Minutes: late[.over30Minutes] ?? 0),
                attempts: attempts, cancelled: cancelled, returned: returned, failed: failed,
                lastEstimate: lastEstimate.body, tenMinuteEstimate: tenMinuteEstimate.body,
                feedback: rates ? DayReportBody.Feedback(feedback) : nil)
        }
    }

    /// Errors of shown arrivals without their sign, as the metric of `courier-eta` counts them.
    private struct ErrorSum {
        var count = 0
        var seconds = 0.0

        mutating func add(_ error: Double) {
            count += 1
            seconds += error.magnitude
        }

        var body: DayReportBody.EstimateError? {
            count == 0 ? nil : .init(arrivals: count, meanSeconds: Int((seconds / Double(count)).rounded()))
        }
    }
}

/// A store as a day's report shows it.
struct ReportedStore: Hashable, Sendable {
    let name: String
    /// IANA name of the zone of its days.
    let timeZone: String
}

/// One event that a day's report counts, with its delivery's store and courier.
struct ReportedEvent: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case placed
        /// A failed attempt at the door.
        case attempted
        /// A button of the card that changed the delivery, by its verb.
        case pressed(String)
        /// - Parameters:
        ///   - promise: the first one, as on cards: a window that was moved later makes no delivery on time.
        ///   - reason: the customer-facing code, else the reason in words.
        ///   - errors: of the arrivals that the customer was shown.
        ///   - feedback: the customer's word after a hand-over.
        case ended(
            End, promise: Promise, reason: String?, errors: [EstimateChanged.ShownError] = [],
            feedback: DeliveryFeedback.Kind? = nil)

        /// Whether the delivery's courier has a part in it.
        fileprivate var isOfCourier: Bool {
            switch self {
            case .placed, .pressed: false
            case .attempted, .ended: true
            }
        }
    }

    /// The statuses that end a delivery.
    enum End: String, CaseIterable, Hashable, Sendable {
        case delivered, returned, cancelled, failed
    }

    let kind: Kind
    let at: Date
    let store: StoreID
    let courier: CourierID?
}

/// The whole minutes between a promised window's end and a later hand-over, in bands; each includes its upper bound.
enum LateBand: CaseIterable, Hashable, Sendable {
    case upTo5Minutes, upTo15Minutes, upTo30Minutes, over30Minutes

    init(minutes: Int) {
        self =
            switch minutes {
            case ...5: .upTo5Minutes
            case ...15: .upTo15Minutes
            case ...30: .upTo30Minutes
            default: .over30Minutes
            }
    }
}
