internal import DeclaredMetrics
internal import FlowControl
internal import Logging
internal import Metrics
internal import ServiceLifecycle

extension NatsClient {
    /// Stays connected until graceful shutdown, then flushes and closes the connection.
    ///
    /// A broker failure never ends it: it logs a lost connection as a warning, and as an error after 30 seconds and
    /// then every 30 seconds. A first connection that fails is logged as an error at once.
    /// - Throws: never; connection failures are logged and retried.
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.stayConnected() }
        await close()
    }

    private func stayConnected() async {
        var warnings = LogThrottle(every: .seconds(30))
        while !Task.isCancelled {
            do {
                let ended = try await transport.open()
                transport.logger.info("Connected to NATS")
                warnings.reset()
                for await _ in ended {}
                if Task.isCancelled { return }
                if warnings.isDue(at: .now) { transport.logger.warning("Lost the connection to NATS, reconnecting") }
                NatsMetrics.connectionsLost.counter().increment()
            } catch {
                if warnings.isDue(at: .now) {
                    transport.logger.error("No connection to NATS, retrying", metadata: ["reason": "\(error)"])
                }
                // Cancellation ends the loop.
                try? await Task.sleep(for: transport.configuration.reconnectWait)
            }
        }
    }
}
