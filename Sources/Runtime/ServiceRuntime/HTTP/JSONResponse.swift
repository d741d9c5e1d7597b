package import HTTPTypes
package import Hummingbird
internal import WireCoding

/// A value as a JSON answer that no cache keeps.
/// - Throws: `EncodingError`.
package func jsonResponse(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
) throws -> Response {
    var headers = headers
    headers[.contentType] = "application/json"
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    let body = ByteBuffer(bytes: try WireJSON.encode(value))
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
}
