internal import DoorstepAPI
package import HTTPTypes
package import Hummingbird
internal import WireCoding

/// A value as a JSON answer that no cache keeps; its persons are collected where the request is a recorded read.
///
/// - Throws: `EncodingError`.
package func jsonResponse(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
) throws -> Response {
    if let answered = AnsweredPersons.current, let answer = value as? any PersonalAnswer {
        answered.add(answer.persons)
    }
    var headers = headers
    headers[.contentType] = "application/json"
    if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    let body = ByteBuffer(bytes: try WireJSON.encode(value))
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
}
