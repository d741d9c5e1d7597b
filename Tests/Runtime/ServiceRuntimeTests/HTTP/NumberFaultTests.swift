import Foundation
import Testing
import WireCoding

@testable import ServiceRuntime

@Suite("Numbers that do not fit")
struct NumberFaultTests {
    private struct Reports: Decodable {
        struct Report: Decodable {
            let at: Date
            let timestamp: Int?
            let weight: Double?
            let counts: [String: Int]?
        }

        let reports: [Report]
    }

    /// Counts what is decoded, however often.
    ///
    /// Without a lock: one test uses it, in one task.
    private struct Counting: Decodable {
        nonisolated(unsafe) static var decoded = 0
        let counts: [Counted]

        struct Counted: Decodable {
            let number: Int

            init(from decoder: any Decoder) throws {
                Counting.decoded += 1
                number = try decoder.singleValueContainer().decode(Int.self)
            }
        }
    }

    private func fault(_ reports: String) -> Problem.FieldError? {
        numberFault(Reports.self, in: Data(#"{"reports":[\#(reports)]}"#.utf8))
    }

    @Test("One is found wherever it is, past texts, times and numbers that fit their own type")
    func places() {
        let at = #""at":"2026-11-21T12:00:00Z""#
        #expect(fault(#"{\#(at),"weight":1.5,"timestamp":1.5}"#)?.path == "reports[0].timestamp")
        #expect(fault(#"{\#(at),"timestamp":1},{\#(at),"timestamp":1e30}"#)?.path == "reports[1].timestamp")
        #expect(fault(#"{\#(at),"counts":{"a":1,"b":0.5}}"#)?.path == "reports[0].counts.b")
        let weight = fault(#"{\#(at),"weight":1e400}"#)
        #expect(weight == Problem.FieldError(path: "reports[0].weight", message: "is not a number in range"))
    }

    @Test("A body whose numbers fit, or that is no JSON, has none")
    func none() {
        #expect(fault(#"{"at":"2026-11-21T12:00:00Z","timestamp":2.0}"#) == nil)
        #expect(fault(#"{"at":"#) == nil)
    }

    @Test("Finding it decodes each value once, however many there are")
    func linear() {
        let numbers = Array(repeating: "1", count: 5_000) + ["1.5"] + Array(repeating: "2.5", count: 5_000)
        let body = Data(#"{"counts":[\#(numbers.joined(separator: ","))]}"#.utf8)
        Counting.decoded = 0
        #expect(numberFault(Counting.self, in: body)?.path == "counts[5000]")
        #expect(Counting.decoded == 5_001)
    }

    @Test("Nesting counts what is open at once, and not what stands in a text")
    func nesting() {
        func nested(_ levels: Int) -> Data {
            Data((String(repeating: "[{\"a\":", count: levels / 2) + "1").utf8)
        }
        #expect(!isNested(deeperThan: 32, nested(32)))
        #expect(isNested(deeperThan: 32, nested(34)))
        #expect(!isNested(deeperThan: 2, Data(#"[[],[],{},"[[[\"[[{{\\"]"#.utf8)))
        #expect(!isNested(deeperThan: 2, Data(String(repeating: "[]", count: 1_000).utf8)))
    }
}
