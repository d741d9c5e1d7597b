internal import Tracing

/// The body of a collector's `/v1/traces`: an `ExportTraceServiceRequest` in Protocol Buffers' binary format.
///
/// Written by hand: it is ten messages whose field numbers never change, and no package for OTLP is needed for them.
/// - Source: opentelemetry-proto 1.9, `collector/trace/v1/trace_service.proto`, `trace/v1/trace.proto`,
///   `resource/v1/resource.proto` and `common/v1/common.proto`; a test compares the bytes with those that the reference
///   implementation writes.
struct OTLPTraceRequest {
    /// The version of the names of attributes.
    static let schemaURL = "https://opentelemetry.io/schemas/1.37.0"
    static let scope = "doorstep"

    let bytes: [UInt8]

    /// - Parameters:
    ///   - resource: attributes of the process, sorted by key.
    ///   - version: of the program that made the spans.
    init(_ spans: [SpanRecord], resource: [(key: String, value: String)], version: String) {
        var request = ProtobufWriter()
        // ExportTraceServiceRequest: resource_spans = 1.
        request.message(field: 1) { resourceSpans in
            // ResourceSpans: resource = 1, scope_spans = 2, schema_url = 3.
            resourceSpans.message(field: 1) { one in
                // Resource: attributes = 1.
                for attribute in resource {
                    one.attribute(attribute.key, .string(attribute.value), field: 1)
                }
            }
            resourceSpans.message(field: 2) { scopeSpans in
                // ScopeSpans: scope = 1, spans = 2, schema_url = 3. InstrumentationScope: name = 1, version = 2.
                scopeSpans.message(field: 1) { scope in
                    scope.string(Self.scope, field: 1)
                    scope.string(version, field: 2)
                }
                for span in spans { scopeSpans.message(field: 2) { $0.span(span) } }
                scopeSpans.string(Self.schemaURL, field: 3)
            }
            resourceSpans.string(Self.schemaURL, field: 3)
        }
        bytes = request.bytes
    }
}

extension ProtobufWriter {
    /// Span: trace_id = 1, span_id = 2, parent_span_id = 4, name = 5, kind = 6, start_time_unix_nano = 7,
    /// end_time_unix_nano = 8, attributes = 9, events = 11, links = 13, status = 15, flags = 16.
    fileprivate mutating func span(_ span: SpanRecord) {
        bytes(octets(span.trace.traceID), field: 1)
        bytes(octets(span.trace.spanID), field: 2)
        if let parent = span.parentSpanID { bytes(octets(parent), field: 4) }
        string(cut(span.name), field: 5)
        varint(span.kind.number, field: 6)
        fixed64(span.startedAt, field: 7)
        fixed64(span.endedAt, field: 8)
        attributes(span.attributes, field: 9)
        for event in span.events {
            // Event: time_unix_nano = 1, name = 2, attributes = 3.
            message(field: 11) { one in
                one.fixed64(event.nanosecondsSinceEpoch, field: 1)
                one.string(cut(event.name), field: 2)
                one.attributes(event.attributes, field: 3)
            }
        }
        for link in span.links {
            guard let trace = link.context.trace else { continue }
            // Link: trace_id = 1, span_id = 2, attributes = 4, flags = 6.
            message(field: 13) { one in
                one.bytes(octets(trace.traceID), field: 1)
                one.bytes(octets(trace.spanID), field: 2)
                one.attributes(link.attributes, field: 4)
                one.fixed32(UInt32(trace.flags), field: 6)
            }
        }
        if let status = span.status {
            // Status: message = 2, code = 3.
            message(field: 15) { one in
                one.string(cut(status.message ?? ""), field: 2)
                one.varint(status.code.number, field: 3)
            }
        }
        fixed32(UInt32(span.trace.flags), field: 16)
    }

    /// Sorted by key, so that the same span gives the same bytes.
    fileprivate mutating func attributes(_ attributes: SpanAttributes, field: UInt64) {
        var pairs: [(key: String, value: SpanAttribute)] = []
        attributes.forEach { pairs.append(($0, $1)) }
        for pair in pairs.sorted(by: { $0.key < $1.key }).prefix(SpanRecord.itemsMax) {
            attribute(pair.key, pair.value, field: field)
        }
    }

    /// KeyValue: key = 1, value = 2.
    fileprivate mutating func attribute(_ key: String, _ value: SpanAttribute, field: UInt64) {
        message(field: field) { pair in
            pair.string(key, field: 1)
            pair.message(field: 2) { $0.any(value) }
        }
    }

    /// AnyValue: string_value = 1, bool_value = 2, int_value = 3, double_value = 4, array_value = 5.
    private mutating func any(_ value: SpanAttribute) {
        switch value {
        case .string(let text): member(.string(cut(text)), field: 1)
        case .stringConvertible(let thing): member(.string(cut(thing.description)), field: 1)
        case .bool(let truth): member(.varint(truth ? 1 : 0), field: 2)
        case .int32(let number): member(.varint(UInt64(bitPattern: Int64(number))), field: 3)
        case .int64(let number): member(.varint(UInt64(bitPattern: number)), field: 3)
        case .double(let number): member(.double(number), field: 4)
        case .stringArray(let values): array(values.map { .string($0) })
        case .stringConvertibleArray(let values): array(values.map { .string($0.description) })
        case .boolArray(let values): array(values.map { .bool($0) })
        case .int32Array(let values): array(values.map { .int32($0) })
        case .int64Array(let values): array(values.map { .int64($0) })
        case .doubleArray(let values): array(values.map { .double($0) })
        // The library's own marker, which no attribute has.
        default: break
        }
    }

    /// ArrayValue: values = 1.
    private mutating func array(_ values: [SpanAttribute]) {
        message(field: 5) { list in
            for value in values.prefix(SpanRecord.itemsMax) { list.message(field: 1) { $0.any(value) } }
        }
    }
}

extension SpanKind {
    /// Span.SpanKind.
    fileprivate var number: UInt64 {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}

extension SpanStatus.Code {
    /// Status.StatusCode; 0 is unset.
    fileprivate var number: UInt64 {
        switch self {
        case .ok: 1
        case .error: 2
        }
    }
}

private func cut(_ text: String) -> String { String(text.prefix(SpanRecord.textCharactersMax)) }

/// The octets of a text of hex digits of even length.
private func octets(_ hex: String) -> [UInt8] {
    var octets: [UInt8] = []
    var high: UInt8?
    for digit in hex.utf8 {
        let value = digit < UInt8(ascii: "a") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
        if let first = high { octets.append(first << 4 | value) }
        high = high == nil ? value : nil
    }
    return octets
}
