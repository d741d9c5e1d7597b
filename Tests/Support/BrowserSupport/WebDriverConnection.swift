import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Commands of W3C WebDriver to a driver on this machine.
struct WebDriverConnection: Sendable {
    /// The driver's base URL.
    let address: String

    /// Above the session's time-outs for scripts and for loading, whose errors name the slow operation.
    private static let timeout = TimeAmount.seconds(120)
    /// A picture of a long page is the longest of them.
    private static let answerBytesMax = 64 * 1024 * 1024

    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(5)
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private struct Answer<Value: Decodable>: Decodable {
        let value: Value
    }

    /// Sends a command and reads its value.
    ///
    /// - Throws: ``WebDriverError`` where the driver refuses it.
    func send<Value: Decodable>(
        _ method: HTTPMethod, _ path: String, _ parameters: some Encodable = NoParameters(), as: Value.Type = Value.self
    ) async throws -> Value {
        let data = try await exchange(method, path, parameters)
        return try JSONDecoder().decode(Answer<Value>.self, from: data).value
    }

    /// Sends a command whose value is of no interest.
    ///
    /// - Throws: ``WebDriverError`` where the driver refuses it.
    func send(_ method: HTTPMethod, _ path: String, _ parameters: some Encodable = NoParameters()) async throws {
        _ = try await exchange(method, path, parameters)
    }

    private func exchange(_ method: HTTPMethod, _ path: String, _ parameters: some Encodable) async throws -> Data {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        if method == .POST {
            request.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
            request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(parameters)))
        }
        let response = try await Self.http.execute(request, timeout: Self.timeout)
        let data = Data(try await response.body.collect(upTo: Self.answerBytesMax).readableBytesView)
        guard response.status == .ok else {
            throw try JSONDecoder().decode(Answer<WebDriverError>.self, from: data).value
        }
        return data
    }
}

/// An empty object, which a command without parameters has.
struct NoParameters: Encodable {}
