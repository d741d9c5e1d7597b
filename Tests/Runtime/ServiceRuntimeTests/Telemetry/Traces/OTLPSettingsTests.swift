import Configuration
import Foundation
import ProcessSettings
import Testing

@testable import ServiceRuntime

@Suite("Settings of traces")
struct OTLPSettingsTests {
    private func settings(_ values: [AbsoluteConfigKey: ConfigValue]) throws -> OTLPSettings? {
        try OTLPSettings(reading: ConfigReader(provider: InMemoryProvider(values: values)))
    }

    @Test("Without an endpoint nothing is recorded")
    func none() throws {
        #expect(try settings([:]) == nil)
        #expect(try settings(["otlp.sampleShare": "0.5"]) == nil)
    }

    @Test("An endpoint is where a collector listens, with or without a path", arguments: ["", "/", "/otlp", "/otlp/"])
    func endpoint(path: String) throws {
        let read = try #require(
            try settings(["otlp.endpoint": ConfigValue(stringLiteral: "http://127.0.0.1:4318" + path)]))
        #expect(read.url == "http://127.0.0.1:4318" + (path.contains("otlp") ? "/otlp" : "") + "/v1/traces")
        #expect(read.sampleShare == 1)
    }

    @Test("What cannot be an endpoint, a share or a header is refused by its key")
    func invalid() throws {
        let cases: [(AbsoluteConfigKey, String)] = [
            ("otlp.endpoint", "collector:4318"), ("otlp.endpoint", "http://user:secret@collector"),
            ("otlp.sampleShare", "1.5"), ("otlp.queueSpansMax", "0"), ("otlp.headers.file", "/nowhere"),
        ]
        for (key, value) in cases {
            var values: [AbsoluteConfigKey: ConfigValue] = ["otlp.endpoint": "http://127.0.0.1:4318"]
            values[key] = ConfigValue(stringLiteral: value)
            #expect(throws: ConfigurationError.self, "\(key) \(value)") { try settings(values) }
        }
    }

    @Test("Headers come from a file of lines")
    func headers() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "headers-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("authorization: Bearer a:b\nx-team: doorstep\n".utf8).write(to: file)
        let read = try settings([
            "otlp.endpoint": "http://127.0.0.1:4318", "otlp.headers.file": ConfigValue(stringLiteral: file.path),
        ])
        #expect(
            read?.headers == [
                .init(name: "authorization", value: "Bearer a:b"), .init(name: "x-team", value: "doorstep"),
            ])
    }
}
