import DoorstepDevice
import Foundation
import LiveActivity
import Synchronization
import Testing

/// A server that answers as a test says, and hands it each request.
final class FakeServer: DeviceHTTPClient {
    typealias Answer = @Sendable (DeviceHTTPRequest) throws -> DeviceHTTPResponse

    private let answer: Mutex<Answer>
    private let holding = Mutex<(@Sendable (DeviceHTTPRequest) async -> Void)?>(nil)
    private let log = AsyncStream.makeStream(of: DeviceHTTPRequest.self)
    private let reader: Reader

    private actor Reader {
        private var waiting: [DeviceHTTPRequest] = []
        private var waiters: [CheckedContinuation<DeviceHTTPRequest, Never>] = []

        func put(_ request: DeviceHTTPRequest) {
            if waiters.isEmpty { waiting.append(request) } else { waiters.removeFirst().resume(returning: request) }
        }

        func next() async -> DeviceHTTPRequest {
            if !waiting.isEmpty { return waiting.removeFirst() }
            return await withCheckedContinuation { waiters.append($0) }
        }
    }

    init(_ answer: @escaping Answer = FakeServer.standard) {
        self.answer = Mutex(answer)
        reader = Reader()
    }

    /// Everything is taken, and nothing is wanted.
    static let standard: Answer = { request in
        switch request.url.lastPathComponent {
        case "reports": .json(#"{"taken":1,"unknown":0,"instances":[]}"#, status: 202)
        case "wanted": .json(#"{"activities":[]}"#)
        default: .json(#"{"id":"phone","secret":"s-1","tomorrow":{}}"#)
        }
    }

    func answers(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// Does something while a request waits for its answer.
    func beforeAnswers(_ action: @escaping @Sendable (DeviceHTTPRequest) async -> Void) {
        holding.withLock { $0 = action }
    }

    func send(_ request: DeviceHTTPRequest) async throws -> DeviceHTTPResponse {
        let answer = self.answer.withLock { $0 }
        let result = Result { try answer(request) }
        await reader.put(request)
        let action = holding.withLock { $0 }
        await action?(request)
        return try result.get()
    }

    func next() async -> DeviceHTTPRequest { await reader.next() }

    /// The next request, which must be of this method and path.
    func next(
        _ method: DeviceHTTPRequest.Method, _ path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String: Any] {
        let request = await next()
        #expect(request.method == method && request.url.path == path, sourceLocation: sourceLocation)
        #expect(request.headers["Authorization"] == "Bearer customer-token", sourceLocation: sourceLocation)
        guard let body = request.body else { return [:] }
        return try #require(
            JSONSerialization.jsonObject(with: body) as? [String: Any], sourceLocation: sourceLocation)
    }

    func nextReports(sourceLocation: SourceLocation = #_sourceLocation) async throws -> [[String: Any]] {
        let body = try await next(.post, "/v1/devices/phone/reports", sourceLocation: sourceLocation)
        return try #require(body["reports"] as? [[String: Any]], sourceLocation: sourceLocation)
    }
}

extension DeviceHTTPResponse {
    static func json(_ text: String, status: Int = 200, retryAfterSeconds: Int? = nil) -> DeviceHTTPResponse {
        DeviceHTTPResponse(status: status, retryAfterSeconds: retryAfterSeconds, body: Data(text.utf8))
    }

    static func problem(_ type: String, status: Int, detail: String, retryAfterSeconds: Int? = nil)
        -> DeviceHTTPResponse
    {
        .json(
            #"{"type":"https://doorstep.dev/problems/\#(type)","title":"It was refused","status":\#(status),"detail":"\#(detail)"}"#,
            status: status, retryAfterSeconds: retryAfterSeconds)
    }
}
