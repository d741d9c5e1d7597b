import Foundation
import WireCoding

extension Response {
    /// The body, of an answer with this status.
    ///
    /// - Throws: `BenchFailure`, with the answer, where it has another status or body.
    func decoded<Body: Decodable>(_ type: Body.Type, status expected: Int) throws -> Body {
        guard status == expected, let decoded = try? WireJSON.decode(Body.self, from: Data(body)) else {
            throw BenchFailure("\(status) \(String(decoding: body, as: UTF8.self))")
        }
        return decoded
    }
}
