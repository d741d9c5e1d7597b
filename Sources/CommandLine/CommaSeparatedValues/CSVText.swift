/// Records as comma-separated values (RFC 4180), for programs and spreadsheets.
///
/// A spreadsheet runs a field as a formula where it begins with `=`, `+`, `-` or `@`; such a field gets an apostrophe
/// before it, which a spreadsheet shows as text.
///
/// - Source: https://owasp.org/www-community/attacks/CSV_Injection
package struct CSVText: Hashable, Sendable {
    /// Each record ends with CRLF.
    package let text: String

    package init(_ records: [[String]]) {
        text = records.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    // Scalar by scalar: a character may be a sign with a combining mark, or a CR with its LF.
    private static func field(_ text: String) -> String {
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
        let safe = first.map { "=+-@".unicodeScalars.contains($0) } == true ? "'" + text : text
        guard safe.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return safe }
        var quoted = String.UnicodeScalarView()
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        return "\"" + String(quoted) + "\""
    }
}
