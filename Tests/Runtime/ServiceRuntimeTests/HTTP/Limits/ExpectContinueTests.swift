import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ServiceRuntime

@Suite("Callers that wait before they send a body", .timeLimit(.minutes(5)))
struct ExpectContinueTests {
    /// Runs a port whose routes answer with the length of the body that they were sent.
    private func run(_ body: @escaping @Sendable (_ port: Int, _ token: String) async throws -> Void) async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        // Beyond the test's own limit: nobody is answered because time is over.
        configuration.bodyTimeout = .seconds(3_600)
        let tokens = try await TestTokens()
        let token = try await tokens.token(.store)
        let service = HTTPService(
            configuration: configuration, name: "test", openAPI: [], queryParameters: QueryParameters(), readiness: [],
            metrics: MetricsRegistry(),
            tokens: TokenVerifier(tokens.keys), logger: LogRecorder().logger(), wall: { wallNow },
            addOwnCredentialRoutes: { router in
                router.post("own") { request, context in
                    "\(try await context.bytes(of: request, by: context.caller, maxBytes: 100).count) bytes"
                }
            },
            addRoutes: { router in
                router.post("store") { request, _ in "\(try await request.bytes().count) bytes" }
                router.post("form") { request, _ in "\(try await request.formValues(bytesMax: 100).text("a") ?? "")" }
            })
        try await service.application.test(.live) { client in try await body(try #require(client.port), token) }
    }

    private static func head(_ path: String, _ length: Int, _ more: String = "") -> String {
        "POST /\(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\nExpect: 100-continue\r\n\(more)\r\n"
    }

    @Test("One whose body is read is told to go on, and answered", arguments: ["own", "store", "form"])
    func continued(path: String) async throws {
        try await run { port, token in
            let connection = try RawConnection(port: port)
            let more = path == "store" ? "Authorization: Bearer \(token)\r\n" : ""
            // Twice on the same connection: the second request waits as the first did.
            for _ in 1...2 {
                connection.send(Self.head(path, 8, more))
                #expect(await connection.read(endingWith: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                connection.send("a=8+byte")
                let answer = await connection.read(endingWith: "\r\n\r\n8 byte" + (path == "form" ? "" : "s"))
                #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
            }
            connection.close()
        }
    }

    @Test(
        "One whose body would be refused by its length, or who is not let in, is told nothing but that",
        arguments: [
            ("own", 101, "", "413"), ("form", 101, "", "413"), ("store", 300_000, "", "413"),
            ("store", 8, "Authorization: Bearer x.y.z\r\n", "401"), ("nowhere", 8, "", "404"),
        ])
    func refused(path: String, length: Int, more: String, status: String) async throws {
        try await run { port, _ in
            let connection = try RawConnection(port: port)
            connection.send(Self.head(path, length, more))
            let answer = await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("One who sends the body without waiting is not told")
    func sentAhead() async throws {
        try await run { port, _ in
            let connection = try RawConnection(port: port)
            connection.send(Self.head("own", 8, "Connection: close\r\n") + "8 bytes.")
            #expect(await connection.readToEnd().hasPrefix("HTTP/1.1 200 OK"))
        }
    }
}
