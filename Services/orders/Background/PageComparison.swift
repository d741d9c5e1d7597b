import BackgroundWork
import Logging
import Messages
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// Asks every 30 seconds about all deliveries with an open page: an intent may be missed, and so may a row's change.
final class PageComparison: Service {
    static let interval = Duration.seconds(30)

    private let pages: OpenPages
    private let cards: PageCards
    private let pool: PostgresPool
    private let logger: Logger
    /// Whether the last comparison could not read the database.
    private let isUnread = Mutex(false)

    init(pages: OpenPages, cards: PageCards, pool: PostgresPool, logger: Logger) {
        self.pages = pages
        self.cards = cards
        self.pool = pool
        self.logger = logger
    }

    /// Compares until graceful shutdown; never fails because of an outage.
    func run() async throws {
        try await PeriodicTask("comparison of pages", every: Self.interval, logger: logger) {
            try await self.compare()
        }.run()
    }

    /// Asks about every open delivery, and wakes the pages of changed deliveries and of revoked links.
    ///
    /// It wakes all pages where `activity-dispatch` stops or resumes answering, and where the database is unreadable:
    /// the pages show these states.
    func compare() async throws {
        let deliveries = pages.streams.topics
        let parts = stride(from: 0, to: deliveries.count, by: WantedCardsQuestion.deliveriesMax).map { start in
            Array(deliveries[start...].prefix(WantedCardsQuestion.deliveriesMax))
        }
        for part in parts {
            // One that does not answer is asked once in a round.
            guard await cards.ask(about: part) else { break }
        }
        // It may have changed since the last round, as by the question of a page that was opened.
        let change = cards.unshownChange
        do {
            for part in parts {
                let versions = try await PageRepository.versions(of: part, on: pool)
                for delivery in part
                where pages.followed.keep(versions[delivery], of: delivery).isAnother || change != nil {
                    pages.streams.notify(delivery)
                }
            }
            isUnread.withLock { $0 = false }
        } catch {
            let wasUnread = isUnread.withLock { isUnread in
                defer { isUnread = true }
                return isUnread
            }
            // From then on each page tries by itself.
            if !wasUnread { for delivery in deliveries { pages.streams.notify(delivery) } }
            throw error
        }
        if let change { cards.noteShown(change) }
    }
}
