public import Foundation

/// Sends one HTTP request; `URLSessionHTTPClient`, or an app's own.
public protocol DeviceHTTPClient: Sendable {
    /// Sends it once and follows no redirect: the customer's token is for one origin.
    ///
    /// - Throws: where there is no answer.
    func send(_ request: DeviceHTTPRequest) async throws -> DeviceHTTPResponse
}

public struct DeviceHTTPRequest: Hashable, Sendable {
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    public var method: Method
    public var url: URL
    public var headers: [String: String]
    public var body: Data?

    public init(method: Method, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

public struct DeviceHTTPResponse: Hashable, Sendable {
    public var status: Int
    /// The seconds of the header `Retry-After`.
    public var retryAfterSeconds: Int?
    public var body: Data

    public init(status: Int, retryAfterSeconds: Int? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.body = body
    }
}
