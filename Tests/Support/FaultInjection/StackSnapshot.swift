package import OrderDomain

/// Everything that the oracle compares, as it was read of a stack at one quiet point.
package struct StackSnapshot: Hashable, Sendable {
    /// A delivery as `orders` answers, with its timeline.
    package struct DeliveryRecord: Hashable, Sendable {
        package struct Line: Hashable, Sendable {
            package var version: Int
            package var kind: String
            /// In words: `picking/assigned → staged/assigned`.
            package var what: String
            package var by: String
            package var reason: String?
            /// What a provider reported, and when, as the ledger has it; nil for everything else.
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

    /// One event of a delivery that a shop is sent.
    package struct Event: Hashable, Sendable, CustomStringConvertible {
        package var version: Int
        package var type: String

        package init(version: Int, type: String) {
            self.version = version
            self.type = type
        }

        package var description: String { "version \(version), \(type)" }
    }

    /// What `activity-dispatch` wants the cards of an activity to show.
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

    /// What a device shows, and what it recorded.
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
    /// The events that the shop's receiver took, by delivery; an event with one id is one of them.
    package var events: [String: [Event]] = [:]
    /// Events that are not signed as they should be, or came with two bodies.
    package var eventFaults: [String] = []
    /// Events that came again after they were taken, though no fault explains it.
    package var eventRepeats: [String] = []
    /// Deliveries that the desk counts as live; nil where it shows none.
    package var boardCount: Int?
    /// What must be 0 once everything has been worked off: outboxes, consumers' lag, cards behind.
    package var backlogs: [String: Int] = [:]
    /// What must be 0 always: dead letters, undecodable data, an alert twice.
    package var faultCounts: [String: Int] = [:]
    /// What `doorstep admin doctor` found wrong; nil where all is well.
    package var doctor: String?
    /// Processes that ended by themselves.
    package var exits: [String] = []
    /// Lines of logs that say that a process broke.
    package var logLines: [String] = []
    /// Answers that no fault explains.
    package var answers: [String] = []

    package init() {}
}
