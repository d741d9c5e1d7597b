import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

@testable import ServiceRuntime

/// A collector that a test started: what it was sent, and what it answers.
final class FakeCollector: Sendable {
    struct Received: Sendable {
        let path: String
        let headers: HTTPFields
        let spans: [ReceivedSpan]
    }

    private let received = Mutex<[Received]>([])
    private let endless: Int?
    private let answers: @Sendable (Int) -> HTTPResponse.Status
    /// Finished with the collector.
    private let end = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - endless: the request whose answer announces a body that does not come, by how many there were before.
    ///   - answers: the status of each request, by how many there were before.
    init(endless: Int? = nil, answers: @escaping @Sendable (Int) -> HTTPResponse.Status = { _ in .ok }) {
        self.endless = endless
        self.answers = answers
    }

    var requests: [Received] { received.withLock { $0 } }
    /// The spans of requests that were answered 200.
    var spans: [ReceivedSpan] { accepted.withLock { $0 } }
    private let accepted = Mutex<[ReceivedSpan]>([])

    /// Runs the body while the collector listens.
    func run(_ body: @Sendable (_ endpoint: String) async throws -> Void) async throws {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        router.post("v1/traces") { request, _ -> Response in
            let bytes = try await request.body.collect(upTo: 16 * 1024 * 1024)
            let spans = try ReceivedSpan.spans(Array(bytes.readableBytesView))
            let count = self.received.withLock { received in
                received.append(Received(path: request.uri.path, headers: request.headers, spans: spans))
                return received.count - 1
            }
            let status = self.answers(count)
            if count == self.endless {
                let end = self.end.stream
                return Response(
                    status: status,
                    body: ResponseBody(contentLength: 10) { writer in
                        for await _ in end {}
                        try await writer.finish(nil)
                    })
            }
            if status == .ok { self.accepted.withLock { $0 += spans } }
            return Response(status: status)
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                if let number = channel.localAddress?.port { port.yield(number) }
                port.finish()
            }, logger: Logger(label: "collector") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.run() }
            for await number in ports { try await body("http://127.0.0.1:\(number)") }
            self.end.continuation.finish()
            group.cancelAll()
        }
    }
}

/// A span as a collector reads it, by the numbers in opentelemetry-proto's `trace.proto`.
struct ReceivedSpan: Hashable, Sendable {
    let name: String
    let kind: UInt64
    let traceID: String
    let spanID: String
    let parentSpanID: String?
    /// Texts and whole numbers, as text.
    let attributes: [String: String]
    /// Of the process.
    let resource: [String: String]
    let statusCode: UInt64
    let startedAt: UInt64
    let endedAt: UInt64

    static func spans(_ bytes: [UInt8]) throws -> [ReceivedSpan] {
        try ProtobufFields(bytes).messages(1).flatMap { resourceSpans in
            let resource = try attributes(resourceSpans.messages(1).flatMap { try $0.messages(1) })
            return try resourceSpans.messages(2).flatMap { try $0.messages(2) }.map {
                try ReceivedSpan($0, resource: resource)
            }
        }
    }

    private init(_ span: ProtobufFields, resource: [String: String]) throws {
        name = span.text(5) ?? ""
        kind = span.number(6) ?? 0
        traceID = span.hex(1) ?? ""
        spanID = span.hex(2) ?? ""
        parentSpanID = span.hex(4)
        attributes = try Self.attributes(try span.messages(9))
        self.resource = resource
        statusCode = try span.messages(15).first?.number(3) ?? 0
        startedAt = span.number(7) ?? 0
        endedAt = span.number(8) ?? 0
    }

    private static func attributes(_ pairs: [ProtobufFields]) throws -> [String: String] {
        var attributes: [String: String] = [:]
        for pair in pairs {
            let value = try pair.messages(2).first
            attributes[pair.text(1) ?? ""] = value?.text(1) ?? value?.number(3).map(String.init) ?? "?"
        }
        return attributes
    }
}

/// The fields of one message in Protocol Buffers' binary format, read without knowing what they mean.
struct ProtobufFields {
    struct Malformed: Error {}

    private var numbers: [UInt64: [UInt64]] = [:]
    private var payloads: [UInt64: [[UInt8]]] = [:]

    init(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let tag = try Self.varint(&rest)
            switch tag & 7 {
            case 0: numbers[tag >> 3, default: []].append(try Self.varint(&rest))
            case 1: numbers[tag >> 3, default: []].append(try Self.fixed(&rest, count: 8))
            case 2: payloads[tag >> 3, default: []].append(Array(try Self.read(&rest, Int(try Self.varint(&rest)))))
            case 5: numbers[tag >> 3, default: []].append(try Self.fixed(&rest, count: 4))
            default: throw Malformed()
            }
        }
    }

    func number(_ field: UInt64) -> UInt64? { numbers[field]?.last }
    func text(_ field: UInt64) -> String? { payloads[field]?.last.map { String(decoding: $0, as: UTF8.self) } }
    func messages(_ field: UInt64) throws -> [ProtobufFields] { try (payloads[field] ?? []).map(ProtobufFields.init) }
    func hex(_ field: UInt64) -> String? {
        payloads[field]?.last.map { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
    }

    private static func read(_ rest: inout ArraySlice<UInt8>, _ count: Int) throws -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func fixed(_ rest: inout ArraySlice<UInt8>, count: Int) throws -> UInt64 {
        try read(&rest, count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }
}
