public import OrderDomain
public import TextCoding

/// Seals customers' PINs, so that no table, stream or log but a customer's screen has them readable.
///
/// `orders` seals a PIN once and opens it to compare it; `activity-dispatch` opens it on its way to a phone. Services
/// between the two pass the sealed text on.
public struct PINBox: Sendable {
    private let box: SecretBox

    public init(_ box: SecretBox) { self.box = box }

    /// The sealed text, in base64url.
    ///
    /// - Throws: an error of the cryptographic library.
    public func seal(_ pin: String, of delivery: DeliveryID) throws -> String {
        Base64URL.encode(try box.seal(pin, of: Self.owner(delivery)))
    }

    /// The PIN; nil where another delivery's, damaged, or sealed with a key that is missing.
    public func open(_ sealed: String, of delivery: DeliveryID) -> String? {
        // Any failure means that it cannot be read; its caller shows none.
        Base64URL.decode(sealed).flatMap { try? box.open($0, of: Self.owner(delivery)) }
    }

    /// A card's content in JSON with its sealed PIN replaced; the same where it has none.
    ///
    /// - Parameter json: from an encoder, so that a quotation mark within a text is escaped and cannot be a key.
    public static func replacingPIN(in json: [UInt8], with text: (String) -> String) -> [UInt8] {
        guard let start = json.firstRange(of: key)?.upperBound,
            let end = json[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return json }
        let sealed = String(decoding: json[start..<end], as: UTF8.self)
        return Array(json[..<start]) + Array(text(sealed).utf8) + Array(json[end...])
    }

    /// Whether a JSON text has a PIN; a search by bytes, a fraction of the cost of one by characters.
    public static func hasPIN(in json: String) -> Bool {
        json.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.indices.contains { bytes[$0] == key[0] && bytes[$0...].starts(with: key) }
        } ?? true
    }

    private static let key = Array("\"pin\":\"".utf8)

    private static func owner(_ delivery: DeliveryID) -> String { "pin \(delivery)" }
}
