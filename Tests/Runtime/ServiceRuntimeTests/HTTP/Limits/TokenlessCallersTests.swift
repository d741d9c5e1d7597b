import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import ServiceRuntime

@Suite("Callers without a token", .timeLimit(.minutes(10)))
struct TokenlessCallersTests {
    @Test("Addresses of one IPv6 network are one caller")
    func network() throws {
        let callers = try ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"].map {
            AppContext.ofTest(on: try .connected(from: $0)).caller
        }
        #expect(callers[0] == callers[1] && callers[0] != callers[2])
    }

    @Test("A body without a token counts as one with a token does, until its request is answered")
    func anonymousBodies() async throws {
        var configuration = HTTPConfiguration()
        configuration.callerHeldBodyBytesMax = 40 * 1_024
        let metrics = MetricsRegistry()
        let service = makeService(tokens: try await TestTokens(), configuration: configuration, metrics: metrics) {
            $0.post("/any") { request, _ in try jsonResponse(try await request.bytes().count) }
        }
        for (kibibytes, status) in [(40, HTTPResponse.Status.ok), (64, .tooManyRequests), (40, .ok)] {
            let body = RequestBody(buffer: ByteBuffer(repeating: 32, count: kibibytes * 1_024))
            let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/any")
            let answer = try await service.application.responder.respond(
                to: Request(head: head, body: body), context: AppContext.ofTest())
            #expect(answer.status == status, "\(kibibytes) KiB")
        }
        #expect(metrics.exposition().contains("doorstep_http_body_bytes_held 0"))
    }
}
