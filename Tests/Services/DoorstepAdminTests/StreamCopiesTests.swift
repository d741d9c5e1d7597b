import CommandOutput
import Messages
import NatsClient
import Testing

@testable import DoorstepAdmin

@Suite("Copies of streams")
struct StreamCopiesTests {
    private func copies(named: Int?, own: Int?, others: [Int], isClustered: Bool) throws -> Int {
        try Streams.copies(named: named, of: "ORDERS", own: own, others: others, isClustered: isClustered)
    }

    @Test("A stream of a cluster has one copy only where an operator names one")
    func oneCopy() throws {
        for (own, others) in [(nil, []), (1, [1]), (nil, [1])] as [(Int?, [Int])] {
            let refusal = #expect(throws: CommandFailure.self) {
                try copies(named: nil, own: own, others: others, isClustered: true)
            }
            #expect(refusal?.kind == .usage)
            #expect(refusal?.message.contains("--replicas 3") == true, "\(refusal?.message ?? "")")
            #expect(try copies(named: 1, own: own, others: others, isClustered: true) == 1)
            #expect(try copies(named: nil, own: own, others: others, isClustered: false) == 1)
        }
    }

    @Test("A stream keeps its copies, and a missing one has those of the others")
    func kept() throws {
        #expect(try copies(named: nil, own: 3, others: [5], isClustered: true) == 3)
        #expect(try copies(named: nil, own: nil, others: [3, 1], isClustered: true) == 3)
        #expect(try copies(named: 5, own: 3, others: [3], isClustered: true) == 5)
    }

    @Test("A stream that cannot be read is deleted only where an operator names its copies")
    func unread() throws {
        let refusal = #expect(throws: CommandFailure.self) {
            try Streams.check(unread: "ORDERS", CancellationError(), named: nil)
        }
        #expect(refusal?.kind == .usage && refusal?.message.contains("--replicas") == true)
        for copies in [1, 3] { try Streams.check(unread: "ORDERS", CancellationError(), named: copies) }
    }

    @Test("The doctor marks a stream of one copy in a cluster, and names the option that mends it")
    func marked() {
        func finding(copies: Int, isClustered: Bool) -> DoctorFinding {
            Doctor.finding(
                of: .orders, Streams.configuration(of: .orders, replicas: copies, bytesMax: 1_000_000), messages: 7,
                isClustered: isClustered)
        }
        #expect(finding(copies: 1, isClustered: true).fix == "doorstep admin streams --replicas 3")
        for (copies, isClustered) in [(3, true), (1, false)] {
            #expect(finding(copies: copies, isClustered: isClustered) == .well("stream ORDERS", "keeps 7 messages"))
        }
    }
}
