import APIClient
import AsyncHTTPClient
import CommandOutput
import Foundation
import NIOCore
import NIOHTTP1
import StackClient
import Synchronization
import Testing

@Suite("A request to a service of ours, and its answer")
struct APIClientTests {
    /// A client whose requests are kept and get this answer.
    private final class Service: Sendable {
        let requests = Mutex<[HTTPClientRequest]>([])
        let answer: APIClient.Answer

        init(_ status: Int, _ body: String) { answer = APIClient.Answer(status: status, body: Data(body.utf8)) }

        var client: APIClient {
            APIClient(send: { request, _ in
                self.requests.withLock { $0.append(request) }
                return self.answer
            })
        }
    }

    @Test("It has the caller's token and a body of JSON, and headers of the caller replace its own")
    func request() async throws {
        let service = Service(200, "{}")
        _ = try await service.client.exchange(
            .PATCH, "http://orders/v1/x", token: "t", json: Data("[1]".utf8), headers: ["accept": "text/html"])
        _ = try await service.client.exchange(.GET, "http://orders/v1/y", token: nil)
        let requests = service.requests.withLock(\.self)
        #expect(requests.map(\.url) == ["http://orders/v1/x", "http://orders/v1/y"])
        #expect(requests[0].method == .PATCH && requests[0].headers["Authorization"] == ["Bearer t"])
        #expect(requests[0].headers["Content-Type"] == ["application/json"])
        #expect(requests[0].headers["Accept"] == ["text/html"])
        let body = try await requests[0].body?.collect(upTo: 100)
        #expect(body.map { String(buffer: $0) } == "[1]")
        #expect(requests[1].headers["Accept"] == ["application/json, application/problem+json"])
        #expect(!requests[1].headers.contains(name: "Authorization") && requests[1].body == nil)
    }

    @Test(
        "A refusal has the title, the detail and the places of its problem document once each, else its status",
        arguments: [
            (#"{"title":"Not found"}"#, "Not found"), ("busy", "the service answered 404"),
            (
                #"{"title":"Bad","detail":"a is no b","errors":[{"path":"a","message":"is no b","allowed":["c","d"]}]}"#,
                "Bad; a is no b: c, d"
            ),
            (
                #"{"title":"Bad","detail":"Two faults","errors":[{"path":"a","message":"is"},{"path":"b","message":"is"}]}"#,
                "Bad; Two faults; a is; b is"
            ),
        ])
    func refusals(body: String, text: String) async throws {
        let answer = try await Service(404, body).client.send(.GET, "http://orders/", token: nil)
        #expect(answer.refusal?.kind == .notFound && answer.refusal?.message == text && !answer.isSuccess)
        #expect { try answer.decode([String].self) } throws: { ($0 as? CommandFailure)?.message == text }
    }

    @Test("An answer of another form fails as an unavailable service")
    func unreadable() async throws {
        let answer = try await Service(200, "[1]").client.send(.GET, "http://orders/", token: nil)
        #expect(answer.refusal == nil && answer.isSuccess)
        #expect { try answer.decode([String].self) } throws: { ($0 as? CommandFailure)?.kind == .unavailable }
    }
}
