internal import Configuration
internal import Foundation
internal import ProcessSettings

/// The collector of spans, if any, and the sampling.
///
/// | Key | Type | Default | Secret |
/// |---|---|---|---|
/// | `otlp.endpoint` | `http://` or `https://` address of a collector, without `/v1/traces` | none: nothing is recorded | no |
/// | `otlp.headers.file` | path of lines `name: value` | none | its content |
/// | `otlp.sampleShare` | number from 0 to 1; share of the traces that begin here | 1 | no |
/// | `otlp.queueSpansMax` | whole number; spans that wait for the collector | 4,096 | no |
struct OTLPSettings: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The URL of the requests, with `/v1/traces`.
    let url: String
    var headers: [Header] = []
    var sampleShare = 1.0
    var queueSpansMax = 4_096

    /// - Parameter url: of the requests, `/v1/traces` included.
    init(url: String) { self.url = url }

    /// Nil where no endpoint is set.
    ///
    /// - Throws: ``ConfigurationError``.
    init?(reading settings: ConfigReader) throws {
        guard let endpoint = try settings.text("otlp.endpoint") else { return nil }
        guard let parts = URLComponents(string: endpoint), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil
        else {
            throw ConfigurationError(
                key: "otlp.endpoint", problem: "is not an address such as http://127.0.0.1:4318",
                fix: "correct \(waysToSet("otlp.endpoint"))")
        }
        url = (endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint) + "/v1/traces"
        headers = try Self.headers(settings.secret("otlp.headers.file"))
        sampleShare = try settings.share("otlp.sampleShare", default: sampleShare)
        queueSpansMax = try settings.integer("otlp.queueSpansMax", in: 1...1_000_000, default: queueSpansMax)
    }

    private static func headers(_ lines: String?) throws -> [Header] {
        try (lines ?? "").split(whereSeparator: \.isNewline).map { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw ConfigurationError(
                    key: "otlp.headers.file", problem: "has a line that is not \"name: value\"",
                    fix: "write one header a line, such as: authorization: Bearer …")
            }
            return Header(name: parts[0], value: parts[1])
        }
    }
}
