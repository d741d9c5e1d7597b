internal import Logging
internal import Metrics
internal import ServiceLifecycle

extension NatsClient {
    /// Stays connected until graceful shutdown, then writes out what was published and closes.
    ///
    /// It never fails because of the broker: while none answers it says so at once and then every thirty seconds.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.stayConnected() }
        await close()
    }

    private func stayConnected() async {
        var complaints = RareComplaints(every: .seconds(30))
        while !Task.isCancelled {
            do {
                let ended = try await link.open()
                link.logger.info("Connected to NATS", metadata: ["server_version": "\(serverVersion ?? "unknown")"])
                complaints.reset()
                for await _ in ended {}
                if Task.isCancelled { return }
                link.logger.warning("Lost the connection to NATS, connecting again")
                Counter(label: "nats_connections_lost_total").increment()
            } catch {
                if complaints.isDue(at: .now) {
                    link.logger.error("No connection to NATS, trying on", metadata: ["reason": "\(error)"])
                }
                // Cancellation ends the loop.
                try? await Task.sleep(for: link.configuration.reconnectWait)
            }
        }
    }
}

/// Lets the first of a row of equal complaints through, and then one per interval.
struct RareComplaints {
    private let interval: Duration
    private var last: ContinuousClock.Instant?

    init(every interval: Duration) { self.interval = interval }

    /// True when the complaint should be heard; notes that it was.
    mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        if let last, now - last < interval { return false }
        last = now
        return true
    }

    /// Forgets the row; true if there was one.
    @discardableResult
    mutating func reset() -> Bool {
        defer { last = nil }
        return last != nil
    }
}
