import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// How an app reaches the service that it registers with.
protocol AppExchange: Sendable {
    /// - Parameter path: below the device's own.
    /// - Returns: the body of the answer.
    /// - Throws: where none came, or one that is not 2xx.
    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data
}

/// Over HTTP, as a phone does, with another try where that may help.
struct HTTPAppExchange: AppExchange {
    /// Tries of one request; then the app waits for what it notices next, and begins with its registration.
    static let triesMax = 5

    let service: FleetPhone.AppService
    let client: HTTPClient

    /// An answer that is not 2xx.
    struct Refused: Error, CustomStringConvertible {
        let description: String
        let status: HTTPResponseStatus
        let isFinal: Bool
    }

    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        var tries = 0
        while true {
            do {
                return try await sendOnce(method, path, body)
            } catch let refused as Refused where refused.isFinal {
                throw refused
            } catch {
                tries += 1
                guard tries < Self.triesMax, !Task.isCancelled else { throw error }
                try await Task.sleep(for: .milliseconds(200 << tries))
            }
        }
    }

    private func sendOnce(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        var request = HTTPClientRequest(url: "\(service.url)/v1/devices/\(service.device)\(path)")
        request.method = method
        request.headers.add(name: "authorization", value: "Bearer \(service.token)")
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: body))
        }
        let response = try await client.execute(request, timeout: .seconds(10))
        let answer = Data(buffer: try await response.body.collect(upTo: 1 << 20))
        guard (200..<300).contains(response.status.code) else {
            let detail = String(decoding: answer.prefix(300), as: UTF8.self)
            throw Refused(
                description: "\(method.rawValue) \(request.url) was answered \(response.status.code): \(detail)",
                status: response.status,
                isFinal: (400..<500).contains(response.status.code) && response.status != .tooManyRequests)
        }
        return answer
    }
}
