import Foundation
import Logging
package import PostgresClient
package import Testing

/// The schema of the test that is running.
package enum TestPostgres {
    @TaskLocal fileprivate static var configuration: PostgresConfiguration?

    /// The configuration of the running test's own, empty schema.
    package static var current: PostgresConfiguration {
        guard let configuration else { preconditionFailure("give the test or its suite the trait .postgresSchema") }
        return configuration
    }

    /// How many locks the sessions of the running test wait for.
    ///
    /// Locks of Postgres that are not of a table, such as advisory ones, are shared with tests that run beside it.
    package static func awaitedLocks(on pool: PostgresPool) async throws -> Int {
        try await pool.query(
            """
            SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
            WHERE NOT granted AND application_name = \(current.applicationName)
            """
        ).count
    }
}

/// Gives each test an empty schema of its own, on one server per test process.
///
/// The server is private, or the one `DOORSTEP_TEST_DATABASE_URL` names. The schema is dropped even when the test fails.
package struct PostgresSchemaTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try await SharedPostgres.shared.server()
        let permit = await SharedPostgres.semaphore.acquire()
        defer { permit.release() }
        let schema = "test_" + UUID().uuidString.prefix(13).lowercased().replacingOccurrences(of: "-", with: "")
        try await server.pool.execute("CREATE SCHEMA \(raw: schema)")
        var configuration = server.pool.configuration
        configuration.schema = schema
        configuration.applicationName = schema
        configuration.connectionsMax = 8
        let result: Result<Void, any Error>
        do {
            try await TestPostgres.$configuration.withValue(configuration) { try await function() }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // In a task of its own, awaited here: a test that ran into its time limit is cancelled, its schema still goes.
        let dropping = Task { _ = try await server.pool.execute("DROP SCHEMA \(raw: schema) CASCADE") }
        try await dropping.value
        try result.get()
    }
}

extension Trait where Self == PostgresSchemaTrait {
    /// An empty schema for each test: ``TestPostgres/current``.
    package static var postgresSchema: Self { Self() }
}

/// The server all tests of this process share, started when the first one asks.
package actor SharedPostgres {
    package static let shared = SharedPostgres()

    /// Bounds the tests that use the server at once: all of them together would need more sessions than it has.
    static let semaphore = AsyncSemaphore(permits: 16)

    struct Running: Sendable {
        /// Keeps the private server alive; nil when `DOORSTEP_TEST_DATABASE_URL` named the server.
        let instance: PrivatePostgres?
        let pool: PostgresPool
    }

    private var starting: Task<Running, any Error>?

    func server() async throws -> Running {
        if let starting { return try await starting.value }
        let task = Task { try await Self.start() }
        starting = task
        return try await task.value
    }

    private static func start() async throws -> Running {
        let logger = Logger(label: "test-postgres")
        if let url = ProcessInfo.processInfo.environment["DOORSTEP_TEST_DATABASE_URL"] {
            var configuration = try PostgresConfiguration(url: url)
            configuration.connectionsMax = 4
            configuration.acquireTimeout = .seconds(60)
            return Running(instance: nil, pool: PostgresPool(configuration, logger: logger))
        }
        let instance = try await PrivatePostgres.start()
        var configuration = instance.configuration
        configuration.connectionsMax = 4
        configuration.acquireTimeout = .seconds(60)
        return Running(instance: instance, pool: PostgresPool(configuration, logger: logger))
    }
}
