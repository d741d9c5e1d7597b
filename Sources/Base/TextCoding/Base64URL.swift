internal import Foundation

/// Base64 in the alphabet of URLs (RFC 4648, section 5).
public enum Base64URL {
    /// Encodes without padding, as JSON Web Tokens, VAPID and browsers do.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedData()
        return String(unsafeUninitializedCapacity: standard.count) { text in
            var count = 0
            for byte in standard where byte != UInt8(ascii: "=") {
                text[count] = counterpart(of: byte)
                count += 1
            }
            return count
        }
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
        var standard = Data(characters.lazy.map(counterpart))
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: missing))
        return Data(base64Encoded: standard).map { [UInt8]($0) }
    }

    /// The character that stands for the same value in the other alphabet.
    private static func counterpart(of byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
    }
}
