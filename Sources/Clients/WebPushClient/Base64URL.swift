internal import Foundation

/// Base64 with the alphabet of URLs, RFC 4648, section 5.
enum Base64URL {
    /// Without padding, as browsers, JSON Web Tokens and VAPID have it.
    static func encode(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: nil for what is neither padded as it should be nor unpadded, and for any other character.
    static func decode(_ text: String) -> [UInt8]? {
        let characters = text.utf8.prefix { $0.isBase64URL }
        let padding = text.utf8[characters.endIndex...]
        let missing = (4 - characters.count % 4) % 4
        guard missing < 3, padding.isEmpty || padding.elementsEqual(repeatElement(UInt8(ascii: "="), count: missing))
        else { return nil }
        let standard = String(decoding: characters, as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + String(repeating: "=", count: missing)).map { [UInt8]($0) }
    }
}

extension UInt8 {
    /// A letter, a digit, `-` or `_`.
    var isBase64URL: Bool { isLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_") }

    /// Of ASCII.
    var isLetterOrDigit: Bool { isLetter || isDigit }

    /// Of ASCII.
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }

    /// Of ASCII.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
