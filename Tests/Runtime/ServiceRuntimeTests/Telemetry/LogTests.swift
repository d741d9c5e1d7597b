import Foundation
import Logging
import Testing
import Tracing

@testable import ServiceRuntime

@Suite("Log lines")
struct LogTests {
    @Test("A line is one JSON object with time, level, service, message and metadata")
    func json() throws {
        let log = LogRecorder()
        var logger = log.logger()
        logger[metadataKey: "order_id"] = "7f3c"
        logger.warning("late", metadata: ["minutes": .stringConvertible(4), "of": ["a", "b"], "who": ["id": "c"]])
        #expect(
            log.lines == [
                #"{"timestamp":"2026-11-21T18:24:00.000Z","level":"warning","service":"orders","message":"late","#
                    + #""source":"ServiceRuntimeTests","metadata":{"minutes":4,"of":["a","b"],"order_id":"7f3c","who":{"id":"c"}}}"#
                    + "\n"
            ])
    }

    @Test("Whatever a message holds, it stays one line and decodes to itself")
    func hostile() throws {
        let message =
            "a\"b\\c\nd\r\n\te\u{0}\u{1B}[31m\u{2028}\u{85}ü 🚲\u{9B}31m\u{7F}\u{202A}\u{202E}\u{2066}\u{2069}\u{2029}"
            + "\u{61C}\u{200E}\u{200F}"
        for format in LogFormat.allCases {
            let log = LogRecorder()
            log.logger(format: format).info("\(message)", metadata: ["key": "\(message)"])
            let line = try #require(log.lines.first)
            let steering: [Unicode.Scalar] = line.unicodeScalars.filter { scalar in
                scalar.properties.generalCategory == .control || (0x2028...0x202E).contains(scalar.value)
                    || (0x2066...0x2069).contains(scalar.value)
                    || "\u{61C}\u{200E}\u{200F}".unicodeScalars.contains(scalar)
            }
            #expect(steering == ["\n"])
            #expect(line.hasSuffix("\n"))
            guard format == .json else { continue }
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["message"] as? String == message)
            #expect((object["metadata"] as? [String: String])?["key"] == message)
        }
    }

    @Test("A line logged inside a span carries the ids of its trace and its span, outside of one none")
    func traceID() throws {
        let log = LogRecorder()
        let logger = log.logger()
        let received = try context(of: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let span = SpanTracer().withSpan("test", context: received) { span in
            logger.info("inside")
            return span.context.trace?.spanID
        }
        logger.info("outside")
        let ids = #""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"\#(try #require(span))""#
        #expect(log.lines[0].contains(ids), "\(log.lines[0])")
        #expect(!log.lines[1].contains("trace_id") && !log.lines[1].contains("span_id"))
    }

    @Test("Events below the level are not written")
    func level() {
        let log = LogRecorder()
        log.logger(level: .notice).info("quiet")
        #expect(log.lines.isEmpty)
    }
}
