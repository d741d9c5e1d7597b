import BackgroundWork
import CoreMetrics
import DeclaredMetrics
import DomainTime
import FlowControl
import Foundation
import LiveActivity
import Logging
import Messages
import NatsClient
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization
import WireCoding

/// The pages that are open in this process, what their cards should show, and what wakes them.
///
/// A page shows what phones are pushed: `activity-dispatch` is asked when the first page of a delivery opens, and the
/// intents of its customer are followed from then on: a process without open pages is sent none. Nothing is stored for a
/// page. An intent may be missed, so all open deliveries together are asked about again from time to time.
final class PageHub: Service {
    /// Open pages of one delivery in one process; one more is refused with 429.
    static let pagesPerDeliveryMax = 50
    /// Those among them whose readers have not given the order's number: a link is forwarded, and whoever has it leaves
    /// the customer room.
    static let unprovenPagesPerDeliveryMax = 40
    /// Those of one network; for one more the one that was opened first gives way, of readers without the number first.
    ///
    /// A reader who goes from page to page leaves streams that nobody reads, as the process learns at their next heartbeat.
    static let pagesPerNetworkMax = 4

    /// Whether `activity-dispatch` answers: where it does not, pages say what may be old.
    private struct Answering {
        /// When it did not answer the last question; nil where it did.
        private(set) var unansweredAt: ContinuousClock.Instant?
        /// How often that changed, and how often it had when all pages were woken for it last.
        private(set) var changes = 0
        var changesShown = 0

        mutating func set(_ instant: ContinuousClock.Instant?) {
            if (instant == nil) != (unansweredAt == nil) { changes += 1 }
            unansweredAt = instant
        }
    }

    private let asker: WantedCardsAsker
    private let pool: PostgresPool
    private let nats: NatsClient
    private let clock: DomainClock
    private let heartbeat: Int
    private let comparison: Duration
    private let logger: Logger
    private let elapsed: @Sendable () -> ContinuousClock.Instant
    private let begin: ContinuousClock.Instant
    private let pages = Mutex(OpenPages())
    private let numbers = Atomic(0)
    private let answering = Mutex(Answering())
    /// Nobody waits for an answer for so long after one that did not come.
    private static let pauseAfterNoAnswer = Duration.seconds(2)
    private let gauge = OrdersMetrics.pagesOpen.meter()

    /// - Parameters:
    ///   - heartbeat: seconds between two on a stream; below the idle time-outs of proxies (60 s, mostly).
    ///   - comparison: between two questions about every open delivery.
    init(
        nats: NatsClient, pool: PostgresPool, asker: WantedCardsAsker, clock: DomainClock, heartbeat: Int = 15,
        comparison: Duration = .seconds(30),
        logger: Logger, elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.nats = nats
        self.asker = asker
        self.pool = pool
        self.clock = clock
        self.heartbeat = heartbeat
        self.comparison = comparison
        self.logger = logger
        self.elapsed = elapsed
        begin = elapsed()
    }

    /// An open page's slot; it is free again when the last reference is released.
    final class Slot: Sendable {
        let signal: StreamSignal
        private let setChange: @Sendable (Duration?) -> Void
        private let release: @Sendable () -> Void

        fileprivate init(
            _ signal: StreamSignal, setChange: @escaping @Sendable (Duration?) -> Void,
            release: @escaping @Sendable () -> Void
        ) {
            self.signal = signal
            self.setChange = setChange
            self.release = release
        }

        /// When time alone changes the page next: it is then woken as by a change.
        ///
        /// - Parameter wait: nil for never.
        func changes(in wait: Duration?) { setChange(wait) }

        deinit { release() }
    }

    /// Opens a page.
    ///
    /// - Parameters:
    ///   - network: of its reader.
    ///   - isProven: whether its reader gave the order's number.
    /// - Returns: nil when the delivery has as many open as it may.
    func open(_ delivery: DeliveryID, of customer: CustomerID, from network: String, isProven: Bool) -> Slot? {
        let signal = StreamSignal()
        let number = numbers.add(1, ordering: .relaxed).newValue
        let page = OpenPages.Page(
            delivery: delivery, customer: customer, network: network, isProven: isProven, signal: signal,
            heartbeatAt: second + heartbeat)
        var replaced: StreamSignal?
        let hasSlot = pages.withLock { pages in
            let open = pages.pages(of: delivery)
            let first = Self.givingWay(to: network, among: open)
            let others = open.filter { $0.key != first }
            guard others.count < Self.pagesPerDeliveryMax,
                isProven || others.values.count(where: { !$0.isProven }) < Self.unprovenPagesPerDeliveryMax
            else { return false }
            if let first {
                replaced = open[first]?.signal
                pages.remove(first)
            }
            pages.byNumber[number] = page
            pages.numbersByDelivery[delivery, default: []].insert(number)
            if pages.followers[customer] == nil {
                pages.followers[customer] = OpenPages.Follower(task: follow(customer))
            }
            pages.followers[customer]?.deliveries[delivery, default: 0] += 1
            pages.setTimer(of: number)
            return true
        }
        replaced?.end()
        guard hasSlot else { return nil }
        gauge.increment()
        return Slot(
            signal,
            setChange: { [weak self] wait in
                guard let self else { return }
                let at = wait.map { self.second + max(1, Int(($0 / .seconds(1)).rounded(.up))) }
                self.pages.withLock { pages in
                    pages.byNumber[number]?.changesAt = at
                    pages.setTimer(of: number)
                }
            },
            release: { [weak self] in
                guard let self else { return }
                self.pages.withLock { $0.remove(number) }
                self.gauge.decrement()
            })
    }

    /// The page that is closed for one more of a network; nil where the network has fewer than it may.
    private static func givingWay(to network: String, among open: [Int: OpenPages.Page]) -> Int? {
        let own = open.filter { $0.value.network == network }
        guard own.count >= pagesPerNetworkMax else { return nil }
        return own.min { ($0.value.isProven ? 1 : 0, $0.key) < ($1.value.isProven ? 1 : 0, $1.key) }?.key
    }

    private var second: Int { Int((elapsed() - begin) / .seconds(1)) }

    /// Pages that are open in this process.
    var openPages: Int { pages.withLock(\.byNumber.count) }

    /// What a delivery's card should show: as it is known here while a page of it is open, else asked for.
    ///
    /// - Returns: no card where there is none yet, and whether `activity-dispatch` answered when it was last asked.
    func card(of delivery: DeliveryID) async -> (card: WantedCards.Card?, isFollowed: Bool) {
        if let known = pages.withLock({ $0.cards[delivery] }) { return (known, isAnswered) }
        if let at = answering.withLock(\.unansweredAt), elapsed() < at + Self.pauseAfterNoAnswer { return (nil, false) }
        guard let card = await ask({ try await self.asker.card(of: delivery) }) else { return (nil, isAnswered) }
        // What came meanwhile may be newer.
        return (pages.withLock { $0.take(card) ? card : $0.cards[delivery] ?? card }, true)
    }

    /// What a browser passes to its push service to be notified of alerts; nil where none is.
    var alertKey: String? { asker.alertKey }

    private var isAnswered: Bool { answering.withLock { $0.unansweredAt == nil } }

    private func ask<Answer>(_ question: () async throws -> Answer?) async -> Answer? {
        do {
            let answer = try await question()
            answering.withLock { $0.set(nil) }
            return answer
        } catch {
            // Whoever closes a page takes their question back, which says nothing of who is asked.
            if !Task.isCancelled { answering.withLock { $0.set(elapsed()) } }
            return nil
        }
    }

    /// Beats, and asks about what may have been missed, until graceful shutdown.
    ///
    /// Never fails because of an outage.
    func run() async throws {
        let beats = PeriodicTask("heartbeats of pages", every: .seconds(1), logger: logger) { self.beat() }
        let comparisons = PeriodicTask("comparison of pages", every: comparison, logger: logger) {
            try await self.compare()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await beats.run() }
            group.addTask { try await comparisons.run() }
            try await group.waitForAll()
        }
        let followers = pages.withLock { pages in
            defer { pages.followers = [:] }
            return pages.followers.values.map(\.task)
        }
        for follower in followers { follower.cancel() }
        for follower in followers { await follower.value }
    }

    /// Reads a customer's intents until it is cancelled.
    private func follow(_ customer: CustomerID) -> Task<Void, Never> {
        let subscribed: @Sendable () async -> Void = { [weak self] in await self?.askAgain(of: customer) }
        let handle: @Sendable (NatsMessage) async -> Void = { [weak self] in self?.take($0) }
        return Task { [nats] in
            await nats.forEachMessage(
                of: Subject.intents(of: customer), bufferedMessagesMax: Self.bufferedIntentsMax,
                subscribed: subscribed, handle: handle)
        }
    }

    /// Unread intents of one customer; what is dropped beyond them is asked about by the next comparison.
    private static let bufferedIntentsMax = 64

    /// Asks about a customer's open deliveries: what is known of them may be from before their intents were followed.
    ///
    /// Their pages are woken where `activity-dispatch` answers again, since they say what may be old.
    func askAgain(of customer: CustomerID) async {
        let deliveries = pages.withLock { $0.followers[customer]?.deliveries.keys.map(\.self) ?? [] }
        for delivery in deliveries {
            guard let card = await ask({ try await self.asker.card(of: delivery) }) else { continue }
            take(card)
            if answering.withLock({ $0.changes != $0.changesShown }) { wake(delivery) }
        }
    }

    /// Takes what follows an intent; one of a delivery without an open page is not even read.
    private func take(_ message: NatsMessage) {
        guard let activity = message.subject.split(separator: ".").last,
            let delivery = ActivityID(rawValue: String(activity))?.delivery,
            pages.withLock({ $0.numbersByDelivery[delivery] != nil }),
            let intent = try? WireJSON.decode(Intent.self, from: Data(message.payload)), intent.delivery == delivery
        else { return }
        take(
            WantedCards.Card(
                delivery: delivery, activity: intent.activity, step: intent.step, at: clock.now.epochSeconds))
    }

    /// Takes what a card should show from now on, unless what is known is as new.
    func take(_ card: WantedCards.Card) {
        let signals = pages.withLock { $0.take(card) ? $0.signals(of: card.delivery) : [] }
        for signal in signals { signal.notify() }
    }

    /// Has the heartbeats that are due written, and wakes what time has changed.
    func beat() {
        let second = second
        let (beating, changing) = pages.withLock { pages in
            var (beating, changing) = ([StreamSignal](), [StreamSignal]())
            for number in pages.timers.fire(upTo: second) {
                guard let page = pages.byNumber[number] else { continue }
                if let changesAt = page.changesAt, changesAt <= second {
                    pages.byNumber[number]?.changesAt = nil
                    changing.append(page.signal)
                }
                if page.heartbeatAt <= second {
                    pages.byNumber[number]?.heartbeatAt = second + heartbeat
                    beating.append(page.signal)
                }
                pages.setTimer(of: number)
            }
            return (beating, changing)
        }
        for signal in changing { signal.notify() }
        for signal in beating { signal.heartbeat() }
    }

    /// Asks about every open delivery, and wakes the pages of those that changed, or whose links were revoked.
    ///
    /// All are woken where `activity-dispatch` answers no more, or again, and where the database cannot be read: their
    /// readers are shown so.
    func compare() async throws {
        let deliveries = pages.withLock { Array($0.numbersByDelivery.keys) }
        let parts = stride(from: 0, to: deliveries.count, by: WantedCardsQuestion.deliveriesMax).map { start in
            Array(deliveries[start...].prefix(WantedCardsQuestion.deliveriesMax))
        }
        for part in parts {
            // One that does not answer is asked once in a round.
            guard let cards = await ask({ try await self.asker.cards(of: part) }) else { break }
            for card in cards { take(card) }
        }
        // It may have changed since the last round, as by the question of a page that was opened.
        let (changes, wakesAll) = answering.withLock { ($0.changes, $0.changes != $0.changesShown) }
        do {
            for part in parts {
                let versions = try await PageRepository.versions(of: part, on: pool)
                let changed = part.filter { delivery in
                    pages.withLock { $0.set(versions[delivery], of: delivery) } || wakesAll
                }
                for delivery in changed { wake(delivery) }
            }
            pages.withLock { $0.isUnread = false }
        } catch {
            let wasUnread = pages.withLock { pages in
                defer { pages.isUnread = true }
                return pages.isUnread
            }
            // From then on each tries by itself.
            if !wasUnread { for delivery in deliveries { wake(delivery) } }
            throw error
        }
        answering.withLock { $0.changesShown = changes }
    }

    /// Takes in what somebody has read of a delivery, and wakes its pages where they show another version.
    func noteRead(_ version: PageRepository.Version, of delivery: DeliveryID) {
        let isAnother = pages.withLock { pages in
            let known = pages.versions[delivery]
            return pages.set(version, of: delivery) && known != nil
        }
        if isAnother { wake(delivery) }
    }

    private func wake(_ delivery: DeliveryID) {
        for signal in pages.withLock({ $0.signals(of: delivery) }) { signal.notify() }
    }
}
