import AsyncHTTPClient
import Foundation
import LiveActivity
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import WireCoding

/// How an app reaches the service that it registers with.
protocol AppExchange: Sendable {
    /// - Parameter path: below the device's own.
    /// - Returns: the body of the answer.
    /// - Throws: where none came, or one that is not 2xx.
    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data

    /// Presses a link of a card as the customer.
    ///
    /// - Throws: where no answer came.
    func press(_ link: String) async throws -> AppPressed
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

    func press(_ link: String) async throws -> AppPressed {
        // The customer's token goes to nothing but a link.
        guard let url = URL(string: link), url.path.hasPrefix("/l/"), ["http", "https"].contains(url.scheme) else {
            return AppPressed(message: "This is not a link of a delivery", content: nil)
        }
        let (status, answer) = try await answer(.POST, link, nil)
        struct Answer: Decodable {
            let message: String
            let content: GroceryDeliveryAttributes.ContentState
        }
        struct Problem: Decodable {
            let title: String
            let detail: String?
        }
        if (200..<300).contains(status.code) {
            let done = try WireJSON.decode(Answer.self, from: answer)
            return AppPressed(message: done.message, content: done.content)
        }
        // An answer without a problem document is described by its status.
        let problem = try? WireJSON.decode(Problem.self, from: answer)
        return AppPressed(message: problem?.detail ?? problem?.title ?? "It was refused: \(status.code)", content: nil)
    }

    private func sendOnce(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        let url = "\(service.url)/v1/devices/\(service.device)\(path)"
        let (status, answer) = try await answer(method, url, body)
        guard (200..<300).contains(status.code) else {
            let detail = String(decoding: answer.prefix(300), as: UTF8.self)
            throw Refused(
                description: "\(method.rawValue) \(url) was answered \(status.code): \(detail)", status: status,
                isFinal: (400..<500).contains(status.code) && status != .tooManyRequests)
        }
        return answer
    }

    private func answer(
        _ method: HTTPMethod, _ url: String, _ body: Data?
    ) async throws -> (HTTPResponseStatus, Data) {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "authorization", value: "Bearer \(service.token)")
        request.headers.add(name: "accept", value: "application/json")
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: body))
        }
        let response = try await client.execute(request, timeout: .seconds(10))
        return (response.status, Data(buffer: try await response.body.collect(upTo: 1 << 20)))
    }
}
