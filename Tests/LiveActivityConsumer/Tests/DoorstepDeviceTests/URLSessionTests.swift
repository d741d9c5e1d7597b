import DoorstepDevice
import Foundation
import Testing

@Suite("HTTP by URLSession", .timeLimit(.minutes(1)))
struct URLSessionTests {
    @Test("It sends method, headers and body, and reads status, body and Retry-After")
    func exchange() async throws {
        let server = try LoopbackServer(
            answering: "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/devices/phone"))
        async let received = server.next()
        let response = try await URLSessionHTTPClient().send(
            DeviceHTTPRequest(
                method: .put, url: url, headers: ["Authorization": "Bearer t"], body: Data("{\"a\":1}".utf8)))
        #expect(response == DeviceHTTPResponse(status: 503, retryAfterSeconds: 7, body: Data("{}".utf8)))
        let request = try await received
        #expect(request.hasPrefix("PUT /v1/devices/phone HTTP/1.1") && request.hasSuffix("{\"a\":1}"))
        #expect(request.contains("Authorization: Bearer t"))
    }

    @Test("It follows no redirect, since the customer's token would go with it")
    func redirect() async throws {
        let server = try LoopbackServer(
            answering:
                "HTTP/1.1 307 Elsewhere\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/l/AQ"))
        async let received = server.next()
        let response = try await URLSessionHTTPClient().send(
            DeviceHTTPRequest(method: .post, url: url, headers: ["Authorization": "Bearer t"]))
        #expect(response.status == 307)
        _ = try await received
    }

    @Test("Where nobody answers it throws")
    func nobody() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        await #expect(throws: (any Error).self) {
            try await URLSessionHTTPClient().send(DeviceHTTPRequest(method: .get, url: url))
        }
    }
}
