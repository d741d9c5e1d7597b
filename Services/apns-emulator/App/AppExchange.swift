import APIClient
import AsyncHTTPClient
import Foundation
import LiveActivity
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
    func press(_ link: String) async throws -> PressOutcome
}

/// Over HTTP, as a phone does, with another try where that may help.
struct HTTPAppExchange: AppExchange {
    /// Tries of one request; then the app waits for what it notices next, and begins with its registration.
    static let triesMax = 5

    let service: FleetPhone.AppService
    /// The origin of links, the only one beside the service that gets the customer's token; nil for none.
    let linkOrigin: String?
    let client: HTTPClient

    /// An answer that is not 2xx.
    struct Refused: Error, CustomStringConvertible {
        let description: String
        let status: Int
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

    func press(_ link: String) async throws -> PressOutcome {
        guard let linkOrigin, let url = URLComponents(string: link), url.user == nil, url.path.hasPrefix("/l/"),
            APIClient.origin(of: link) == APIClient.origin(of: linkOrigin)
        else { return PressOutcome(message: "This is not a link of a delivery", content: nil) }
        let answer = try await answer(.POST, link, nil)
        struct Done: Decodable {
            let message: String
            let content: GroceryDeliveryAttributes.ContentState
        }
        if answer.isSuccess {
            let done = try WireJSON.decode(Done.self, from: answer.body)
            return PressOutcome(message: done.message, content: done.content)
        }
        let problem = answer.problem
        return PressOutcome(
            message: problem?.detail ?? problem?.title ?? "It was refused: \(answer.status)", content: nil)
    }

    private func sendOnce(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        let url = "\(service.url)/v1/devices/\(service.device)\(path)"
        let answer = try await answer(method, url, body)
        guard answer.isSuccess else {
            let detail = String(decoding: answer.body.prefix(300), as: UTF8.self)
            throw Refused(
                description: "\(method.rawValue) \(url) was answered \(answer.status): \(detail)",
                status: answer.status, isFinal: (400..<500).contains(answer.status) && answer.status != 429)
        }
        return answer.body
    }

    private func answer(_ method: HTTPMethod, _ url: String, _ body: Data?) async throws -> APIClient.Answer {
        try await APIClient(client).exchange(method, url, token: service.token, json: body)
    }
}
