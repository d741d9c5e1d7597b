import Foundation
import Testing
import Tracing

@testable import ServiceRuntime

@Suite("OTLP trace requests")
struct OTLPTraceRequestTests {
    private struct At: TracerInstant {
        let nanosecondsSinceEpoch: UInt64
        static func < (one: At, other: At) -> Bool { one.nanosecondsSinceEpoch < other.nanosecondsSinceEpoch }
    }

    private static let start: UInt64 = 1_795_285_440_000_000_000
    private static let resource = [(key: "service.name", value: "orders"), (key: "service.version", value: "0.7.0")]

    private static func trace(_ id: String, _ span: String) throws -> TraceContext {
        try #require(TraceContext(traceparent: "00-\(id)-\(span)-01"))
    }

    private static func spans() throws -> [SpanRecord] {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        var server = SpanRecord(
            trace: try Self.trace(trace, "00f067aa0ba902b7"), parentSpanID: "b7ad6b7169203331", kind: .server,
            startedAt: start, name: "GET /v1/orders/{id}")
        server.endedAt = start + 1_500_000
        server.attributes = [
            "http.request.method": "GET", "http.response.status_code": 500, "a.negative": -5, "a.zero": 0,
            "a.ratio": 0.25, "a.true": true, "a.false": false, "a.texts": .stringArray(["æ", ""]),
        ]
        server.events = [
            SpanEvent(
                name: "exception", at: At(nanosecondsSinceEpoch: start + 1_000_000),
                attributes: ["exception.type": "Boom", "exception.message": "boom"])
        ]
        var linked = ServiceContext.topLevel
        linked.trace = try Self.trace("0af7651916cd43dd8448eb211c80319c", "c2ad6b7169203331")
        server.links = [SpanLink(context: linked, attributes: ["why": "batch"])]
        server.status = SpanStatus(code: .error, message: "failed")
        var producer = SpanRecord(
            trace: try Self.trace(trace, "53995c3f42cd8ad8"), parentSpanID: nil, kind: .producer, startedAt: start,
            name: "publish orders.delivery-changed")
        producer.endedAt = start
        return [server, producer]
    }

    @Test("The bytes are those of the reference implementation")
    func reference() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Golden/trace-request.hex")
        let expected = try String(contentsOf: golden, encoding: .utf8).filter(\.isHexDigit)
        let request = OTLPTraceRequest(try Self.spans(), resource: Self.resource, version: "0.7.0")
        #expect(hex(request.bytes) == expected)
    }

    @Test("A text of any length, and any number of attributes, gives a span of bounded size")
    func bounds() throws {
        var span = try Self.spans()[1]
        for number in 0..<1_000 { span.attributes["key-\(number)"] = String(repeating: "x", count: 100_000) }
        let bytes = OTLPTraceRequest([span], resource: Self.resource, version: "0.7.0").bytes
        #expect(bytes.count < SpanRecord.itemsMax * (SpanRecord.textCharactersMax + 64))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
