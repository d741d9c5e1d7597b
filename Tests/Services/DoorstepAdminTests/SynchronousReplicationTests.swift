import PostgresClient
import TestSupport
import Testing

@testable import DoorstepAdmin

@Suite("Synchronous replication of a database", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SynchronousReplicationTests {
    private func namesWithoutStandby(_ configuration: PostgresConfiguration) async throws -> String? {
        let pool = PostgresPool(configuration, logger: .silent)
        let result: Result<String?, any Error>
        do {
            result = .success(try await SynchronousReplication(pool: pool).namesWithoutStandby())
        } catch {
            result = .failure(error)
        }
        await pool.shutDown()
        return try result.get()
    }

    @Test("A server that waits for a standby that is away is found with its setting, and one without any is not")
    func standbyAway() async throws {
        #expect(try await namesWithoutStandby(TestPostgres.current) == nil)
        let primary = try await PrivatePostgres.start(settings: ["synchronous_standby_names": "*"])
        #expect(try await namesWithoutStandby(primary.configuration) == "*")
        // Commits that do not wait for a standby.
        try await primary.execute("ALTER SYSTEM SET synchronous_commit = local")
        try await primary.stop()
        try await primary.restart()
        #expect(try await namesWithoutStandby(primary.configuration) == nil)
        try await primary.stop()
    }

    @Test(
        "As many standbys confirm a commit as the setting says, in each form of it",
        arguments: [
            ("*", 1), ("two", 1), ("two, three", 1), ("FIRST 2 (two, three)", 2), ("first 3 (*)", 3),
            ("Any 2(a,b,c)", 2), (" 2 ( two, three )", 2), ("first_2", 1), ("anyone, 2nd", 1),
        ])
    func demanded(names: String, standbys: Int) {
        #expect(SynchronousReplication.standbys(demandedBy: names) == standbys)
    }

    @Test("Missing schemas are reported also where a standby is away")
    func missing() {
        let finding = Doctor.finding(missing: ["orders"], waitingFor: "*", warning: "")
        #expect(finding.isWrong && finding.state == "has no schema orders")
        #expect(!Doctor.finding(missing: [], waitingFor: nil, warning: "").isWrong)
    }

    @Test("The remedy is the standby, or to do without it")
    func finding() throws {
        let finding = Doctor.finding(missing: [], waitingFor: "FIRST 1 (two)", warning: "")
        #expect(finding.isWrong && finding.state.contains("FIRST 1 (two)"))
        let fix = try #require(finding.fix)
        #expect(fix.contains("standby") && fix.contains("ALTER SYSTEM RESET synchronous_standby_names"))
    }
}
