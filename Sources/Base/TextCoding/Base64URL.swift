internal import Foundation

/// Base64 in the alphabet of URLs (RFC 4648, section 5).
public enum Base64URL {
    /// Encodes without padding, as JSON Web Tokens, VAPID and browsers do.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: nil for any spelling except the output of ``encode(_:)``, so that equal bytes are equal texts.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard let bytes = decode(optionallyPadded: text), encode(bytes) == text else { return nil }
        return bytes
    }

    /// Decodes text from other encoders, padded or not.
    ///
    /// - Returns: nil for wrong padding and for characters outside the alphabet.
    public static func decode(optionallyPadded text: some StringProtocol) -> [UInt8]? {
        let characters = text.utf8.prefix { $0.isURLSafe }
        let padding = text.utf8[characters.endIndex...]
        let missing = (4 - characters.count % 4) % 4
        guard missing < 3, padding.isEmpty || padding.elementsEqual(repeatElement(UInt8(ascii: "="), count: missing))
        else { return nil }
        let standard = String(decoding: characters, as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: missing)).map { [UInt8]($0) }
    }
}
