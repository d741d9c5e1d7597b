import DomainTime
import DoorstepAPI
import Logging
import OrderDomain
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// Reads live deliveries for the board of all browsers.
///
/// Deliveries that woke the board are read again by id, together and a quarter of a second later. All are read every 15
/// seconds, since time alone makes a delivery late, and messages that are sent without a connection are lost.
struct BoardReader: Service {
    /// Wake-ups within this time share one read.
    static let coalescing = Duration.milliseconds(250)
    static let rereadInterval = Duration.seconds(15)

    let board: LiveBoard
    let services: ServiceClient
    let pool: PostgresPool
    let clock: DomainClock
    let logger: Logger

    /// Reads until graceful shutdown; never fails because of an outage.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled {
                        board.wakeAll()
                        // Cancellation ends the loop.
                        try? await Task.sleep(for: Self.rereadInterval)
                    }
                }
                group.addTask {
                    for await _ in board.wakes {
                        await readIfAttended()
                        // Cancellation ends the wakes, and with them the loop.
                        try? await Task.sleep(for: Self.coalescing)
                    }
                }
            }
        }
    }

    /// Reads pending deliveries while a browser has a page.
    func readIfAttended(at now: ContinuousClock.Instant = .now) async {
        if board.isAttended(at: now) { await read() }
    }

    /// Reads pending deliveries, and wakes the pages that show them.
    func read() async {
        let pending = board.drainPending()
        defer { board.readingEnded() }
        do {
            if pending.isWhole {
                try await readAll()
                board.streams.notifyAll()
            } else if !pending.ids.isEmpty {
                try await read(Array(pending.ids))
                board.streams.notify(pending.ids)
            }
        } catch {
            logger.debug("The board could not be read", metadata: ["reason": "\(error)"])
            board.readingFailed()
            board.streams.notifyAll()
        }
    }

    private func readAll() async throws {
        var rows: [BoardBody.Row] = []
        var cursor: String?
        repeat {
            let page = try await services.board(cursor.map { "cursor=\($0)" })
            rows += page.deliveries
            cursor = page.next
        } while cursor != nil
        let begun = board.revision
        let triage = try await TriageRepository.triage(of: rows.map(\.id), on: pool)
        board.mergeAll(rows, triage: triage, readSince: begun, at: clock.now)
    }

    private func read(_ ids: [DeliveryID]) async throws {
        for start in stride(from: 0, to: ids.count, by: ServiceClient.boardPageRows) {
            let part = Array(ids[start..<min(start + ServiceClient.boardPageRows, ids.count)])
            let page = try await services.board("ids=\(part.map(\.rawValue).joined(separator: ","))")
            // What comes back to the board has the owner, snooze and note that it had.
            let fresh = page.deliveries.map(\.id).filter { board.entry(of: $0) == nil }
            let triage = fresh.isEmpty ? [:] : try await TriageRepository.triage(of: fresh, on: pool)
            board.merge(page.deliveries, of: part, triage: triage, at: clock.now)
        }
    }
}
