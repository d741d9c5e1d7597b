import CommandLineTestSupport
import Foundation
import TestSupport
import Testing

@testable import DoorstepAdmin

@Suite("Text of the administering commands")
struct AdminTextTests {
    @Test("What a doctor finds is one line each, with the fix where something is wrong")
    func doctor() throws {
        let findings: [DoctorFinding] = [
            .well("postgres", "answers"), .wrong("stream ORDERS", "is missing", fix: "doorstep admin rebuild-streams"),
        ]
        try expectGolden(DoctorFinding.text(findings) + "\n", "ops/doctor.txt")
    }

    @Test("What follows from a part that is wrong names that part as the one to mend, and nothing else does")
    func singleCause() {
        let follows = DoctorFinding.wrong("orders", "is not ready: the schema is missing", fix: "see its log")
        #expect(
            follows.followingFrom("postgres", whereItNames: "schema").fix
                == "mend postgres, see above: this follows from it")
        let named = DoctorFinding.wrong("orders", "is not ready: postgres does not answer", fix: "see its log")
        #expect(named.followingFrom("postgres", whereItNames: "schema").fix?.contains("mend postgres") == true)
        for other in [
            DoctorFinding.wrong("orders", "does not answer", fix: "start it"), .well("orders", "has its schema"),
        ] {
            #expect(other.followingFrom("postgres", whereItNames: "schema") == other)
        }
    }

    @Test("The result of a migration is read from its last line")
    func migrations() {
        let applied = #"{"level":"notice","message":"up to date","metadata":{"applied":"outbox, orders","schema":"x"}}"#
        #expect(MigrationOutcome(hasSucceeded: true, output: "noise\n\(applied)\n").summary == "applied outbox, orders")
        #expect(
            MigrationOutcome(hasSucceeded: true, output: #"{"message":"m","metadata":{"applied":""}}"#).summary
                == "up to date already")
        #expect(MigrationOutcome(hasSucceeded: true, output: "").summary == "migrated")
        let refused = #"{"level":"error","message":"stopped","error":"password refused"}"#
        #expect(MigrationOutcome(hasSucceeded: false, output: refused).summary == "stopped: password refused")
        #expect(MigrationOutcome(hasSucceeded: false, output: "no libpq\n").summary == "no libpq")
    }

    @Test("A migration that waits for a lock is reported while it waits, with the sessions that hold it")
    func waitingMigration() async throws {
        let path = "\(FileManager.default.temporaryDirectory.path)/migration-\(UUID().uuidString)"
        defer { for file in [path, "\(path).fifo"] { unlink(file) } }
        // It goes on once the warning has been reported; the limit of its read ends it where that does not happen.
        let warning = #"{"level":"warning","message":"waits","metadata":{"holders":"process 7 of ada","schema":"x"}}"#
        let end = #"{"level":"notice","message":"up to date","metadata":{"applied":"outbox"}}"#
        let script = """
            #!/bin/bash
            exec 3<>"$0.fifo"
            echo noise
            echo '\(warning)' >&2
            read -r -t 60 -u 3 && [ "$LOG_LEVEL" = notice ] && echo '\(end)'
            """
        // Written by a child: a file that this process has open could not be executed while another test forks.
        let (written, output) = try await ChildProcess.run(
            "/bin/bash",
            ["-c", #"mkfifo "$1.fifo" && printf '%s\n' "$2" > "$1" && chmod 755 "$1""#, "bash", path, script])
        #expect(written == .code(0), "\(output)")
        var warnings: [String] = []
        let outcome = try MigrationOutcome(running: URL(filePath: path)) { warning in
            warnings.append(warning)
            // Without the fifo the migration fails, which the test reports.
            try? FileHandle(forWritingAtPath: "\(path).fifo")?.write(contentsOf: Data("\n".utf8))
        }
        #expect(warnings == ["waits: locks are held by process 7 of ada"])
        #expect(outcome == MigrationOutcome(hasSucceeded: true, output: end))
    }
}
