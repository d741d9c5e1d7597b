internal import Foundation

/// Base64 in the alphabet of URLs, without padding (RFC 4648, section 5).
public enum Base64URL {
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: nil for any spelling but the one that ``encode(_:)`` writes, so that equal bytes are equal texts.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let base64 = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: base64), data.base64EncodedString() == base64 else { return nil }
        return [UInt8](data)
    }
}
