internal import AsyncHTTPClient
internal import FlowControl
internal import NIOCore
internal import NIOHTTP1

/// A collector that accepts spans by OTLP over HTTP.
///
/// - Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp
final class OTLPCollector: Sendable {
    private let url: String
    private let headers: [OTLPSettings.Header]
    private let resource: [(key: String, value: String)]
    private let version: String
    private let client: HTTPClient

    /// Bytes of an answer that are read.
    private static let answerBytesMax = 64 * 1024

    /// A collector whose connections are closed by ``close()``, which must be called.
    ///
    /// - Parameters:
    ///   - resource: attributes of the process, sorted by key.
    ///   - version: of the program that made the spans.
    init(_ settings: OTLPSettings, resource: [(key: String, value: String)], version: String) {
        url = settings.url
        headers = settings.headers
        self.resource = resource
        self.version = version
        var configuration = HTTPClient.Configuration()
        // Tracing these requests would create spans for each export, endlessly.
        configuration.tracing.tracer = nil
        // A time-out ends one stream of HTTP/2, and a connection that died in silence would be used on for minutes.
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    /// Closes the connections.
    func close() async {
        // The client throws only where it was shut down before.
        try? await client.shutdown()
    }

    /// Sends a batch within `timeout`.
    func send(_ spans: [SpanRecord], timeout: Duration) async -> SpanExporter.Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-protobuf")
        request.headers.add(name: "User-Agent", value: "doorstep/\(version)")
        for header in headers { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(
            ByteBuffer(bytes: OTLPTraceRequest(spans, resource: resource, version: version).bytes))
        do {
            // The client's own time-out ends with the head of an answer.
            let status = try await withTimeLimit(timeout) { [client, request] in
                let response = try await client.execute(request, deadline: .distantFuture)
                _ = try await response.body.collect(upTo: Self.answerBytesMax)
                return response.status.code
            }
            return status.map(Self.answer) ?? .unavailable(reason: "no answer in time")
        } catch {
            return .unavailable(reason: "\(error)")
        }
    }

    /// "The following HTTP response status codes are retryable: 429, 502, 503, 504"; every other failure is final.
    static func answer(to status: UInt) -> SpanExporter.Answer {
        switch status {
        case 200..<300: .accepted
        case 429, 502, 503, 504: .unavailable(reason: "status \(status)")
        default: .refused(reason: "status \(status)")
        }
    }
}
