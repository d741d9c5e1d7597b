import HTTPTypes
import HummingbirdTesting
import NIOCore

extension OrdersUnderTest {
    /// Opens a page, as a browser does.
    func page(
        _ client: any TestClientProtocol, _ path: String, cookie: String? = nil, language: String? = nil
    ) async throws -> TestResponse {
        var fields: HTTPFields = [.accept: "text/html"]
        fields[.cookie] = cookie
        fields[.acceptLanguage] = language
        return try await client.execute(uri: path, method: .get, headers: fields)
    }

    /// Sends a form of a page.
    ///
    /// - Parameter origin: nil for a browser that names none.
    func post(
        _ client: any TestClientProtocol, _ path: String, _ form: String, origin: String? = nil,
        cookie: String? = nil, accept: String? = nil
    ) async throws -> TestResponse {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        fields[.origin] = origin
        fields[.cookie] = cookie
        fields[.accept] = accept
        return try await client.execute(uri: path, method: .post, headers: fields, body: ByteBuffer(string: form))
    }
}
