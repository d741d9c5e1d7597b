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
        let message = "a\"b\\c\nd\r\n\te\u{0}\u{1B}[31m\u{2028}\u{85}ü 🚲"
        for format in LogFormat.allCases {
            let log = LogRecorder()
            log.logger(format: format).info("\(message)", metadata: ["key": "\(message)"])
            let line = try #require(log.lines.first)
            #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
            #expect(line.hasSuffix("\n"))
            guard format == .json else { continue }
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["message"] as? String == message)
            #expect((object["metadata"] as? [String: String])?["key"] == message)
        }
    }

    @Test("A line logged inside a span carries its trace id, outside of one none")
    func traceID() async throws {
        let log = LogRecorder()
        let logger = log.logger()
        await withTrace(continuing: ["Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]) {
            logger.info("inside")
        }
        logger.info("outside")
        #expect(log.lines[0].contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#))
        #expect(!log.lines[1].contains("trace_id"))
    }

    @Test("Events below the level are not written")
    func level() {
        let log = LogRecorder()
        log.logger(level: .notice).info("quiet")
        #expect(log.lines.isEmpty)
    }
}

@Suite("Trace context")
struct TraceContextTests {
    @Test("What an instrument injects into a message's headers is the same trace for its receiver")
    func instrument() async throws {
        struct Headers: Injector, Extractor {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        }
        var random = SystemRandomNumberGenerator()
        let trace = TraceContext.generate(using: &random)
        var sent = ServiceContext.topLevel
        sent.trace = trace
        var headers: [String: String] = [:]
        TraceInstrument().inject(sent, into: &headers, using: Headers())
        var taken = ServiceContext.topLevel
        TraceInstrument().extract(headers, into: &taken, using: Headers())
        #expect(taken.trace?.traceID == trace.traceID)
        #expect(taken.trace?.spanID != trace.spanID)
    }

    @Test("A valid traceparent is read as it was written")
    func roundTrip() throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(try #require(TraceContext(traceparent: header)).traceparent == header)
        #expect(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-later") != nil)
    }

    @Test(
        "An invalid traceparent begins a new trace",
        arguments: [
            "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        ])
    func invalid(header: String) {
        #expect(TraceContext(traceparent: header) == nil)
        var random = SystemRandomNumberGenerator()
        let begun = TraceContext.continuing(header, using: &random)
        #expect(TraceContext(traceparent: begun.traceparent) == begun)
    }

    @Test("Outgoing headers continue the trace in a child span")
    func outgoing() async throws {
        let received = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let sent = await withTrace(continuing: ["traceparent": received]) { traceHeaders() }
        let context = try #require(TraceContext(traceparent: sent["traceparent"] ?? ""))
        #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID != "00f067aa0ba902b7")
        #expect(traceHeaders().isEmpty)
    }
}
