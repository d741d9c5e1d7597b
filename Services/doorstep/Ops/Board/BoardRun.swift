import CommandOutput

/// Feeds a board's session from the clock and the keyboard until the person leaves.
struct BoardRun {
    /// The interval at which the screen's clock advances.
    static let tick = Duration.seconds(1)
    /// Reads of keys that wait for earlier ones at most; of a stuck key the oldest are dropped.
    static let waitingReadsMax = 8

    let session: BoardSession

    /// - Throws: `CommandFailure` of kind interrupted on Ctrl-C, or one where going on would not help.
    func run(keys: AsyncStream<Key>) async throws {
        // Apart from the keys, so that one may leave while a service is slow to answer.
        let (reads, nextRead) = AsyncStream.makeStream(
            of: BoardEffect.self, bufferingPolicy: .bufferingNewest(Self.waitingReadsMax))
        // None is dropped: each is an answer of the person to a question.
        let (changes, nextChange) = AsyncStream.makeStream(of: BoardEffect.self, bufferingPolicy: .unbounded)
        try await withTasksUntilLeaving { group in
            group.addTask {
                try await RepeatedRead.run { try await session.read() }
            }
            group.addTask {
                while true {
                    await session.tick()
                    try await Task.sleep(for: Self.tick)
                }
            }
            for effects in [reads, changes] {
                group.addTask {
                    for await effect in effects { try await session.perform(effect) }
                }
            }
            group.addTask {
                for await key in keys {
                    switch await session.press(key) {
                    case .leave: throw Leaving()
                    case .interrupt: throw CommandFailure(.interrupted, "")
                    // It would displace a waiting read.
                    case .nothing: break
                    case let effect: (effect.isInOrderOfChanges ? nextChange : nextRead).yield(effect)
                    }
                }
                throw CommandFailure(.interrupted, "")
            }
        }
    }
}
