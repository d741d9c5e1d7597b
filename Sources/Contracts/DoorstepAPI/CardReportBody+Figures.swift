extension CardReportBody {
    /// The totals of some of the day's cards.
    public struct Figures: Hashable, Codable, Sendable {
        /// Ended deliveries; a reopened one counts once for each of its ends.
        public let deliveries: Int
        /// Ended deliveries with a card on a screen.
        public let deliveriesWithCard: Int
        public let devices: Devices
        /// Cards that were started, whether anything confirmed it or not.
        public let started: Int
        /// Cards that were on a screen, as their app's report or token confirms; a delivery has one on each device, and
        /// another after a roll-over.
        public let cards: Int
        /// Cards that their owner removed.
        public let swiped: Int
        public let ends: Ends
        public let screen: Screen
        /// Nil where no card was pushed to Apple: a device's stream has no record of what its screen shows.
        public let starts: Starts?
        public let changes: Changes?
        public let late: Late?

        public init(
            deliveries: Int, deliveriesWithCard: Int, devices: Devices, started: Int, cards: Int, swiped: Int,
            ends: Ends, screen: Screen, starts: Starts?, changes: Changes?, late: Late?
        ) {
            self.deliveries = deliveries
            self.deliveriesWithCard = deliveriesWithCard
            self.devices = devices
            self.started = started
            self.cards = cards
            self.swiped = swiped
            self.ends = ends
            self.screen = screen
            self.starts = starts
            self.changes = changes
            self.late = late
        }
    }

    /// Devices by their owners' permission, each once for each delivery that it could have shown.
    public struct Devices: Hashable, Codable, Sendable {
        public let allowed: Int
        /// Reported by apps that started no card yet: iOS asks with the first.
        public let notAsked: Int
        public let refused: Int
        public let switchedOff: Int
        /// Refused or switched off, of apps that do not report which.
        public let disallowed: Int

        public init(allowed: Int, notAsked: Int, refused: Int, switchedOff: Int, disallowed: Int) {
            self.allowed = allowed
            self.notAsked = notAsked
            self.refused = refused
            self.switchedOff = switchedOff
            self.disallowed = disallowed
        }
    }

    /// Cards that were on a screen when their delivery ended.
    public struct Ends: Hashable, Codable, Sendable {
        public let cards: Int
        /// Cards whose end was sent within 30 seconds after it was reported.
        public let onTime: Int

        public init(cards: Int, onTime: Int) {
            self.cards = cards
            self.onTime = onTime
        }
    }

    /// Time on screens, from the start until the card leaves the Lock Screen.
    public struct Screen: Hashable, Codable, Sendable {
        /// Cards whose time is known: all but those that their owner removed, and those that were lost.
        public let cards: Int
        /// Whole minutes of these cards together.
        public let minutes: Int

        public init(cards: Int, minutes: Int) {
            self.cards = cards
            self.minutes = minutes
        }
    }

    /// Cards that a push to Apple started.
    public struct Starts: Hashable, Codable, Sendable {
        public let pushed: Int
        /// Cards that their app has reported.
        public let shown: Int
        /// Cards that no app has reported.
        public let neverShown: Int
        /// Seconds from the push to the app's first report that half of the shown ones did not exceed: the upper bound
        /// of a bucket; nil without any, and beyond an hour.
        public let p50Seconds: Int?
        /// The same of nine in ten.
        public let p90Seconds: Int?

        public init(pushed: Int, shown: Int, neverShown: Int, p50Seconds: Int?, p90Seconds: Int?) {
            self.pushed = pushed
            self.shown = shown
            self.neverShown = neverShown
            self.p50Seconds = p50Seconds
            self.p90Seconds = p90Seconds
        }
    }

    /// States that pushes to Apple carried, without starts and repeats.
    public struct Changes: Hashable, Codable, Sendable {
        public let pushed: Int
        /// States that an app has reported as shown; an app reports only what is on the card when it runs.
        public let shown: Int
        /// States that were reported within five seconds after the change.
        public let within5Seconds: Int
        public let within30Seconds: Int
        /// Seconds from the change to the app's first report, as of starts.
        public let p50Seconds: Int?
        public let p90Seconds: Int?

        public init(
            pushed: Int, shown: Int, within5Seconds: Int, within30Seconds: Int, p50Seconds: Int?, p90Seconds: Int?
        ) {
            self.pushed = pushed
            self.shown = shown
            self.within5Seconds = within5Seconds
            self.within30Seconds = within30Seconds
            self.p50Seconds = p50Seconds
            self.p90Seconds = p90Seconds
        }
    }

    /// Changes that were sent more than 30 seconds late, or that an app reported missing after that time, by cause.
    ///
    /// A change that was sent in time and that no app has reported is not among them, since nothing is known of it.
    public struct Late: Hashable, Codable, Sendable {
        /// Doorstep spaced the card's pushes.
        public let throttle: Int
        /// A budget of pushes was used up, so that the phone decided when to show it.
        public let budget: Int
        /// Sent in time, and an app that ran later did not have it.
        public let offline: Int
        /// The card had no token yet.
        public let noToken: Int
        public let other: Int

        public init(throttle: Int, budget: Int, offline: Int, noToken: Int, other: Int) {
            self.throttle = throttle
            self.budget = budget
            self.offline = offline
            self.noToken = noToken
            self.other = other
        }

        public var count: Int { throttle + budget + offline + noToken + other }
    }
}
