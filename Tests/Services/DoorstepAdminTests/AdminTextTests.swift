import CommandLineTestSupport
import Foundation
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
        let refused = #"{"level":"error","message":"stopped","error":"password refused"}"#
        #expect(MigrationOutcome(hasSucceeded: false, output: refused).summary == "stopped: password refused")
        #expect(MigrationOutcome(hasSucceeded: false, output: "no libpq\n").summary == "no libpq")
    }
}
