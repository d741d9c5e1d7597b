internal import Foundation
internal import Logging
internal import WireCoding

/// One log event, ready to be written in either format.
struct LogLine {
    let timestamp: Date
    let level: Logger.Level
    let service: String
    let message: String
    let error: String?
    let source: String
    let metadata: Logger.Metadata

    /// A JSON object and a line feed; always one line, whatever the message holds.
    var json: String {
        var fields: [(String, String)] = [
            ("timestamp", quoted(WireJSON.text(of: timestamp))), ("level", quoted(level.rawValue)),
            ("service", quoted(service)), ("message", quoted(message)),
        ]
        var rest = metadata
        for key in ["trace_id", "span_id"] {
            if let id = rest.removeValue(forKey: key) { fields.append((key, value(id))) }
        }
        if let error { fields.append(("error", quoted(error))) }
        fields.append(("source", quoted(source)))
        if !rest.isEmpty { fields.append(("metadata", object(rest))) }
        return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}\n"
    }

    /// Time, level, message and `key=value` pairs, and a line feed; control characters are escaped.
    var text: String {
        var words = [WireJSON.text(of: timestamp), level.rawValue.uppercased(), service, plain(message)]
        if let error { words.append("error=\(quoted(error))") }
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let text = value.description
            words.append("\(key)=" + (text.contains(where: { $0 == " " || $0.isNewline }) ? quoted(text) : plain(text)))
        }
        return words.joined(separator: " ") + "\n"
    }

    private func object(_ metadata: Logger.Metadata) -> String {
        let pairs = metadata.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\(value($0.value))" }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    private func value(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .stringConvertible(let number as Int): String(number)
        case .stringConvertible(let truth as Bool): String(truth)
        case .stringConvertible(let number as Double) where number.isFinite: String(number)
        case .stringConvertible(let thing): quoted(thing.description)
        case .array(let values): "[" + values.map { self.value($0) }.joined(separator: ",") + "]"
        case .dictionary(let pairs): object(pairs)
        }
    }

    private func plain(_ text: String) -> String { String(quoted(text).dropFirst().dropLast()) }
}

/// A JSON string, RFC 8259 section 7.
func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": out += "\\\""
        case "\\": out += "\\\\"
        case "\n": out += "\\n"
        case "\r": out += "\\r"
        case "\t": out += "\\t"
        // These are legal in JSON, but some readers split lines at the separators, and terminals obey the controls and
        // the marks of direction.
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            let digits = String(scalar.value, radix: 16)
            out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: out.unicodeScalars.append(scalar)
        }
    }
    return out + "\""
}
