package import OrderDomain

/// The state of a stack at one quiet point, for the oracle's comparisons.
package struct StackSnapshot: Hashable, Sendable {
    /// A delivery as `orders` answers, with its timeline.
    package struct DeliveryRecord: Hashable, Sendable {
        package struct Line: Hashable, Sendable {
            package var version: Int
            package var kind: String
            /// The change in words: `picking/assigned → staged/assigned`.
            package var what: String
            package var by: String
            package var reason: String?
            /// A provider's report with its time, in the ledger's form; nil for every other entry.
            package var report: String?

            package init(
                version: Int, kind: String, what: String, by: String, reason: String?, report: String? = nil
            ) {
                self.version = version
                self.kind = kind
                self.what = what
                self.by = by
                self.reason = reason
                self.report = report
            }
        }

        package var delivery: String
        package var customer: String
        package var status: StatusCode
        package var phase: String
        package var version: Int
        package var episode: Int
        package var activity: String
        package var hasEnded: Bool
        package var lines: [Line]
        /// The events that its lines are worth.
        package var events: Set<Event>

        package init(
            delivery: String, customer: String, status: StatusCode, phase: String, version: Int, episode: Int,
            activity: String, hasEnded: Bool, lines: [Line], events: Set<Event>
        ) {
            self.delivery = delivery
            self.customer = customer
            self.status = status
            self.phase = phase
            self.version = version
            self.episode = episode
            self.activity = activity
            self.hasEnded = hasEnded
            self.lines = lines
            self.events = events
        }
    }

    /// One event of a delivery that a shop receives.
    package struct Event: Hashable, Sendable, CustomStringConvertible {
        package var version: Int
        package var type: String

        package init(version: Int, type: String) {
            self.version = version
            self.type = type
        }

        package var description: String { "version \(version), \(type)" }
    }

    /// The wanted cards of an activity in `activity-dispatch`.
    package struct Wanted: Hashable, Sendable {
        package var activity: String
        /// Nil on a summary.
        package var delivery: String?
        package var version: Int
        package var hasEnded: Bool
        /// Whether its card may be on a screen by now.
        package var isDue: Bool

        package init(activity: String, delivery: String?, version: Int, hasEnded: Bool, isDue: Bool) {
            self.activity = activity
            self.delivery = delivery
            self.version = version
            self.hasEnded = hasEnded
            self.isDue = isDue
        }
    }

    /// A device's screen, and its recorded history.
    package struct Screen: Hashable, Sendable {
        package struct Card: Hashable, Sendable {
            package var card: String
            package var activity: String
            /// Nil on a summary.
            package var delivery: String?
            package var version: Int
            package var phase: String
            package var headline: String
            /// Deliveries that a summary counts.
            package var count: Int?
            /// Whether pushes still change it.
            package var isLive: Bool

            package init(
                card: String, activity: String, delivery: String?, version: Int, phase: String, headline: String,
                count: Int?, isLive: Bool
            ) {
                self.card = card
                self.activity = activity
                self.delivery = delivery
                self.version = version
                self.phase = phase
                self.headline = headline
                self.count = count
                self.isLive = isLive
            }
        }

        package var device: String
        package var customer: String
        package var cards: [Card]
        /// Screens that went back, event ids that did not rise, pushes that a phone refuses.
        package var violations: [String]

        package init(device: String, customer: String, cards: [Card], violations: [String]) {
            self.device = device
            self.customer = customer
            self.cards = cards
            self.violations = violations
        }
    }

    package var records: [DeliveryRecord] = []
    package var wanted: [Wanted] = []
    package var screens: [Screen] = []
    /// Orders of each reference.
    package var orders: [String: Int] = [:]
    /// Times of stored fixes in milliseconds since 1970, by courier.
    package var fixes: [String: Set<Int>] = [:]
    /// The events that the shop's receiver accepted, by delivery; repeats of an id count once.
    package var events: [String: [Event]] = [:]
    /// Events that are not signed as they should be, or came with two bodies.
    package var eventFaults: [String] = []
    /// Events repeated after they were accepted, without a fault that explains it.
    package var eventRepeats: [String] = []
    /// Deliveries that the desk counts as live; nil where it shows none.
    package var boardCount: Int?
    /// Values that must be 0 once the backlog is drained: outboxes, consumers' lag, cards behind.
    package var backlogs: [String: Int] = [:]
    /// Values that must always be 0: dead letters, undecodable data, repeated alerts.
    package var faultCounts: [String: Int] = [:]
    /// The findings of `doorstep admin doctor`; nil without a fault.
    package var doctor: String?
    /// Processes that ended by themselves.
    package var exits: [String] = []
    /// Log lines that report a broken process.
    package var logLines: [String] = []
    /// Answers that no fault explains.
    package var answers: [String] = []

    package init() {}
}
