import Foundation
import Testing
import WireCoding

@testable import ServiceRuntime

@Suite("The first fault of a body")
struct LocatingDecoderTests {
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
        fault(of: Reports.self, in: #"{"reports":[\#(reports)]}"#)
    }

    private func fault<Value: Decodable>(of type: Value.Type, in json: String) -> Problem.FieldError? {
        do {
            let faults = [BodyFaults.userInfoKey: BodyFaults(standIns: nil)]
            _ = try WireJSON.decode(Located<Value>.self, from: Data(json.utf8), userInfo: faults)
            return nil
        } catch {
            return (error as? FaultyPart)?.fault
        }
    }

    @Test("A number that does not fit is found wherever it is, past texts, times and numbers that fit their own type")
    func places() {
        let at = #""at":"2026-11-21T12:00:00Z""#
        #expect(fault(#"{\#(at),"weight":1.5,"timestamp":1.5}"#)?.path == "reports[0].timestamp")
        #expect(fault(#"{\#(at),"timestamp":1},{\#(at),"timestamp":1e30}"#)?.path == "reports[1].timestamp")
        #expect(fault(#"{\#(at),"counts":{"a":1,"b":0.5}}"#)?.path == "reports[0].counts.b")
        let weight = fault(#"{\#(at),"weight":1e400}"#)
        #expect(weight == Problem.FieldError(path: "reports[0].weight", message: "is not a number in range"))
    }

    @Test("A body without faults, or that is no JSON, has none")
    func none() {
        #expect(fault(#"{"at":"2026-11-21T12:00:00Z","timestamp":2.0}"#) == nil)
        #expect(fault(#"{"at":"#) == nil)
    }

    @Test("Finding it decodes each value once, however many there are")
    func linear() {
        let numbers = Array(repeating: "1", count: 5_000) + ["1.5"] + Array(repeating: "2.5", count: 5_000)
        Counting.decoded = 0
        let fault = fault(of: Counting.self, in: #"{"counts":[\#(numbers.joined(separator: ","))]}"#)
        #expect(fault?.path == "counts[5000]")
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
