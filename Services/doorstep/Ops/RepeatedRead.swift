import CommandOutput

/// Reads again and again until the command ends, through outages of a service.
enum RepeatedRead {
    /// Wall time between two reads.
    static let interval = Duration.seconds(2)

    /// - Parameters:
    ///   - complain: receives the first failure of each outage.
    ///   - sleep: waits until the next read.
    /// - Throws: the failure of a read where another read would not help; where `sleep` is cancelled.
    static func run(
        complain: (String) -> Void = CommandFailure.complain,
        sleep: () async throws -> Void = { try await Task.sleep(for: RepeatedRead.interval) },
        _ read: () async throws -> Void
    ) async throws {
        var isAway = false
        while true {
            do {
                try await read()
                isAway = false
            } catch let failure as CommandFailure where failure.kind == .unavailable {
                if !isAway { complain("\(failure); trying again") }
                isAway = true
            }
            try await sleep()
        }
    }
}
