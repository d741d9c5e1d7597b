import BackgroundWork
import Logging
import ServiceLifecycle
import ServiceRuntime

/// Ends event streams whose session has ended, or whose reader's role or name has changed since the stream began.
///
/// The page of an ended stream connects again, and is led to sign in where its session is over.
struct SessionChecks: Service {
    /// Wall time between two checks of the sessions of all open streams.
    static let interval = Duration.seconds(10)
    /// Sessions checked concurrently: the identity provider may be slow.
    private static let togetherMax = 16

    let streams: PageStreams
    let signIn: SignIn
    let logger: Logger

    /// Checks the session of each reader with an open stream once; twice where its reader has changed since the first.
    ///
    /// - Throws: where the database does not answer; then streams stay open.
    func check() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, reader) in Set(streams.all.map(\.reader)).enumerated() {
                if index >= Self.togetherMax { try await group.next() }
                group.addTask {
                    let user = try await signIn.userWithoutUse(of: reader.secret)
                    if user != reader.user { streams.end(session: reader.secret.hash) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Checks until graceful shutdown.
    func run() async throws {
        try await PeriodicTask("check of open sessions", every: Self.interval, logger: logger) { try await check() }
            .run()
    }
}
