import Foundation
import WireCoding

/// One request, without the common headers.
struct Request {
    let method: String
    let path: String
    var body = ""
    /// The token, in place of the connection's own.
    var token: String?
    var headers: [String] = []

    /// The request in HTTP/1.1, to a port of loopback.
    func bytes(port: Int) -> [UInt8] { Array((head(port: port, bodyBytes: body.utf8.count) + body).utf8) }

    /// - Parameter bodyBytes: the announced length of the body.
    func head(port: Int, bodyBytes: Int) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
        if let token { lines.append("Authorization: Bearer \(token)") }
        lines += ["Content-Type: application/json"] + headers + ["Content-Length: \(bodyBytes)"]
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }
}

extension Request {
    /// Places an order, however often it is sent with the key.
    static func order(_ body: String, key: String, token: String? = nil) -> Request {
        Request(method: "POST", path: "/v1/orders", body: body, token: token, headers: ["Idempotency-Key: \(key)"])
    }

    /// Moves a delivery to a status.
    static func move(_ delivery: String, to status: String) -> Request {
        Request(method: "POST", path: "/v1/deliveries/\(delivery)/status", body: #"{"status":"\#(status)"}"#)
    }

    /// Reports a quantity of an item as found.
    ///
    /// - Parameter item: from 1 on.
    static func found(_ quantity: Int, ofItem item: Int, in delivery: String) -> Request {
        Request(
            method: "PATCH", path: "/v1/deliveries/\(delivery)/items/item-\(item)",
            body: #"{"status":"found","quantity":\#(quantity)}"#)
    }

    /// The n-th change of a delivery: one item after another is found short, and found whole the next time.
    static func change(_ number: Int, of delivery: String) -> Request {
        found(number.isMultiple(of: 2) ? 1 : 2, ofItem: number / 2 % Workload.itemsPerDelivery + 1, in: delivery)
    }
}

/// A response.
struct Response {
    /// 0 where the connection ended without a response.
    let status: Int
    /// The delivery's version, from the entity tag.
    let version: Int?
    let body: [UInt8]

    /// The status and the body, for an error.
    var text: String { "\(status) \(String(decoding: body, as: UTF8.self))" }

    /// The body, of an answer with this status.
    ///
    /// - Throws: `BenchFailure`, with the answer, where it has another status or body.
    func decoded<Body: Decodable>(_ type: Body.Type, status expected: Int) throws -> Body {
        guard status == expected, let decoded = try? WireJSON.decode(Body.self, from: Data(body)) else {
            throw BenchFailure(text)
        }
        return decoded
    }
}
