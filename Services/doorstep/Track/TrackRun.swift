import CommandOutput

/// Feeds a session from the stream, the clock and the keyboard until the person leaves or everything has ended.
struct TrackRun {
    /// The interval at which the screen's clock advances.
    static let tick = Duration.seconds(1)

    let session: TrackSession
    /// Whether to leave when all cards have left the screen.
    let untilEnded: Bool

    /// Returns when the person leaves, or when it is over and that was asked for.
    ///
    /// - Parameter keys: nil off a terminal.
    /// - Throws: `CommandFailure` when continuing would not help.
    func run(_ feed: some CardFeed, after sequence: String?, keys: AsyncStream<Key>?) async throws {
        try await session.begin()
        try await withTasksUntilLeaving { group in
            group.addTask {
                try await feed.run(after: sequence) { event in
                    try await session.receive(event)
                    try await leaveIfOver()
                }
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.tick)
                    try await session.tick()
                    try await leaveIfOver()
                }
            }
            if let keys {
                // Apart from the presses, so that one may leave while a press waits for its answer.
                let (presses, nextPress) = AsyncStream.makeStream(of: Key.self)
                group.addTask {
                    for await key in presses { try await session.pressEnqueued(key) }
                }
                group.addTask {
                    for await key in keys {
                        guard key == .interrupt || key == .character("q") else {
                            await session.enqueue(key)
                            nextPress.yield(key)
                            continue
                        }
                        if try await !session.press(key) { throw Leaving() }
                    }
                    await session.leave()
                    throw CommandFailure(.interrupted, "")
                }
            }
        }
    }

    private func leaveIfOver() async throws {
        if untilEnded, await session.isOver { throw Leaving() }
    }
}
