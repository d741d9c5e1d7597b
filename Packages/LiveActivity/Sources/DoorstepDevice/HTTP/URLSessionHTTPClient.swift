import Foundation

#if canImport(FoundationNetworking)
    // Linux, where this is compiled for its tests: no service depends on this target.
    import FoundationNetworking
#endif

/// Sends requests with a `URLSession`.
public struct URLSessionHTTPClient: DeviceHTTPClient {
    private let session: URLSession

    /// - Parameter timeout: the longest silence of the server within a request; a push wakes an app for a few seconds
    ///   only.
    public init(timeout: Duration = .seconds(20)) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout / .seconds(1)
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// Sends a request and returns the answer.
    /// - Throws: `URLError` without an HTTP answer.
    public func send(_ request: DeviceHTTPRequest) async throws -> DeviceHTTPResponse {
        var sent = URLRequest(url: request.url)
        sent.httpMethod = request.method.rawValue
        sent.httpBody = request.body
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await session.data(for: sent)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return DeviceHTTPResponse(
            status: response.statusCode,
            retryAfterSeconds: response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) }, body: body)
    }

    private final class RedirectRefusal: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}
