import BackgroundWork
import DomainTime
import FlowControl
import Foundation
import InterfaceTexts
import Logging
import OrderDomain
import PostgresClient
import ServiceLifecycle
import WebPushClient
import WireCoding

/// Sends browsers the alerts of the deliveries that they subscribed to, each at most once.
///
/// A transaction reserves an alert before the send: a crash in between loses the alert, and never repeats it. The
/// sender retries only alerts that certainly reached no browser, while they are valid. Alerts raised by intents in this
/// process are sent at once; a periodic comparison of all subscriptions with the wanted states finds the rest.
final class AlertSender: Service {
    struct Configuration: Sendable {
        /// Subscriptions that are locked together.
        var batchMax = 64
        /// The interval of comparisons of all subscriptions with the wanted states.
        var comparison = Duration.seconds(30)
        /// The pause before due rows locked by another replica, or waiting for room in the queue, are read again.
        var busyPause = Duration.milliseconds(100)
        /// The pause after a database outage before the next query.
        var outagePause = Duration.milliseconds(500)
        /// The time for running sends after shutdown begins.
        var drainTimeout = Duration.seconds(5)
        var queue = SendQueueConfiguration()
    }

    /// Sends one message.
    typealias Send = @Sendable (WebPushMessage, WebPushSubscription) async -> WebPushResult

    /// A reserved alert on its way to one browser.
    private struct Reserved: Sendable {
        let subscription: AlertSubscription
        let notification: AlertNotification
    }

    private let pool: PostgresPool
    private let clock: DomainClock
    private let configuration: Configuration
    private let hosts: WebPushHosts
    private let raised: RaisedAlerts
    private let texts: InstallationTexts
    private let logger: Logger
    private let send: Send
    private let random: @Sendable () -> Double
    private let queue: SendQueue<Reserved>

    /// - Parameters:
    ///   - hosts: the allowed push services, for stored subscriptions too.
    ///   - raised: alerts to send at once.
    ///   - random: from 0 to 1, the jitter of retries.
    init(
        pool: PostgresPool, clock: DomainClock, configuration: Configuration = .init(), hosts: WebPushHosts,
        raised: RaisedAlerts, texts: InstallationTexts = .builtIn, logger: Logger,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        send: @escaping Send
    ) {
        self.pool = pool
        self.clock = clock
        self.configuration = configuration
        self.hosts = hosts
        self.raised = raised
        self.texts = texts
        self.logger = logger
        self.random = random
        self.send = send
        queue = SendQueue(configuration: configuration.queue)
    }

    /// Sends until graceful shutdown; an outage never fails it.
    ///
    /// At shutdown, messages in flight may finish within the drain time-out.
    func run() async throws {
        await queue.run(
            drainTimeout: configuration.drainTimeout, deliver: { await self.deliver($0) },
            whileRunning: { await self.reserveUntilCancelled() })
    }

    private func reserveUntilCancelled() async {
        let worker = DueWorker(
            outage: "Cannot notify browsers, retrying", signal: raised.signal,
            retry: BackOff(every: configuration.outagePause), logger: logger)
        var comparedAt: ContinuousClock.Instant?
        await worker.run {
            do {
                if comparedAt.map({ ContinuousClock.now >= $0 + configuration.comparison }) ?? true {
                    try await pool.execute(AlertSubscriptionRepository.makeLackingDue(at: clock.now))
                    comparedAt = .now
                }
                try await makeRaisedDue()
                guard queue.hasRoom else { return configuration.busyPause }
                if try await reserveDue() > 0 { return .zero }
                guard let next = try await AlertSubscriptionRepository.nextDue(on: pool) else {
                    return configuration.comparison
                }
                let wait = clock.wallDuration(until: next)
                // A subscription that is due and was not reserved is locked by another replica.
                return min(
                    configuration.comparison, wait > .zero ? max(wait, .milliseconds(1)) : configuration.busyPause)
            } catch {
                // The alerts that were raised meanwhile are no longer noted.
                comparedAt = nil
                throw error
            }
        }
    }

    private func makeRaisedDue() async throws {
        let deliveries = raised.take()
        guard !deliveries.isEmpty else { return }
        try await pool.execute(AlertSubscriptionRepository.makeDue(of: deliveries, at: clock.now))
    }

    /// Reserves the due messages, and queues them.
    ///
    /// - Returns: the number of due subscriptions.
    private func reserveDue() async throws -> Int {
        let now = clock.now
        let (count, reserved) = try await pool.withTransaction { transaction in
            let due = try await AlertSubscriptionRepository.lockDue(
                by: now, rowsMax: self.configuration.batchMax, in: transaction)
            var (statements, reserved) = ([SQL](), [Reserved]())
            for one in due {
                var subscription = one.subscription
                let notification = subscription?.reserve(
                    one.wanted, now: now.epochSeconds,
                    words: { self.texts.words($0, of: one.store?.rawValue) })
                if let notification, let subscription {
                    reserved.append(Reserved(subscription: subscription, notification: notification))
                }
                if subscription == nil { self.reportUnreadable(one) }
                statements.append(AlertSubscriptionRepository.settle(one, as: subscription))
            }
            try await transaction.commit(with: statements)
            return (due.count, reserved)
        }
        queue.enqueue(reserved)
        return count
    }

    private func reportUnreadable(_ due: AlertSubscriptionRepository.Due) {
        logger.error(
            "A browser's subscription is unreadable, so the browser is not notified; others are not affected",
            metadata: ["delivery_id": "\(due.delivery)"])
    }

    /// Compares, reserves and sends the due messages, for a process in which ``run()`` does not run.
    ///
    /// - Returns: the number of due subscriptions.
    @discardableResult
    func sendDue() async throws -> Int {
        try await makeRaisedDue()
        try await pool.execute(AlertSubscriptionRepository.makeLackingDue(at: clock.now))
        let count = try await reserveDue()
        _ = await queue.deliverQueued { await deliver($0) }
        return count
    }

    private func deliver(_ one: Reserved) async {
        guard let statement = await outcome(of: one) else { return }
        do {
            _ = try await withCancellationShield { try await self.pool.execute(statement) }
        } catch {
            // The alert stays reserved, so that it is not repeated; the next alert finds an expired subscription again.
            logger.warning(
                "The result of an alert to a browser could not be stored",
                metadata: ["delivery_id": "\(one.subscription.delivery)", "reason": "\(error)"])
        }
    }

    /// Sends one message.
    ///
    /// - Returns: the statement that stores the outcome; nil for none.
    private func outcome(of one: Reserved) async -> SQL? {
        let browser = one.subscription.browser
        guard hosts.contains(browser) else { return AlertSubscriptionRepository.delete(browser.endpoint) }
        let message: WebPushMessage
        do {
            message = try one.notification.message(now: clock.now.epochSeconds, rate: clock.rate)
        } catch {
            logger.error(
                "An alert cannot be encoded for browsers and is skipped",
                metadata: ["delivery_id": "\(one.subscription.delivery)", "reason": "\(error)"])
            return nil
        }
        // What waits when the process is asked to stop is another's at once, and no failure.
        guard !queue.isClosed else {
            return AlertSubscriptionRepository.release(one.notification.id, of: one.subscription, dueAt: clock.now)
        }
        switch await send(message, browser) {
        case .delivered:
            return one.subscription.failures > 0 ? AlertSubscriptionRepository.clearFailures(one.subscription) : nil
        case .gone: return AlertSubscriptionRepository.delete(browser.endpoint)
        case .throttled(let pause): return release(one, after: pause)
        case .unavailable(let cause):
            logger.debug(
                "A push service did not accept an alert", metadata: ["host": "\(browser.host)", "reason": "\(cause)"])
            return cause.mayHaveBeenAccepted ? nil : release(one, after: nil)
        case .tooLarge: return refused(one, status: 413)
        case .refused(let status): return refused(one, status: status)
        }
    }

    private func release(_ one: Reserved, after pause: Duration?) -> SQL {
        var subscription = one.subscription
        let next = subscription.release(
            one.notification, now: clock.now, rate: clock.rate, after: pause, jitter: random())
        return AlertSubscriptionRepository.release(one.notification.id, of: subscription, dueAt: next)
    }

    private func refused(_ one: Reserved, status: Int) -> SQL? {
        let advice = [401, 403].contains(status) ? ": check web.push.key.file and web.push.contact" : ""
        logger.warning(
            "A push service refuses an alert\(advice)",
            metadata: ["host": "\(one.subscription.browser.host)", "status": "\(status)"])
        return nil
    }
}
