import Foundation
import OrderDomain
import WebPages
import WireCoding

/// A value of a record in an archive.
enum ArchiveValue: Decodable, Sendable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case list([ArchiveValue])
    case object([String: ArchiveValue])
    case nothing

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Each attempt fails for a value of another kind.
        if container.decodeNil() {
            self = .nothing
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let list = try? container.decode([ArchiveValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ArchiveValue].self))
        }
    }
}

extension ArchivePage {
    /// A record as a table of its own, a row a field.
    func facts(_ fields: [String: ArchiveValue]) -> String {
        var fields = fields
        var image = ""
        if case .text(let bytes) = fields["image"], case .text(let type) = fields["imageType"],
            ["image/jpeg", "image/png"].contains(type), Data(base64Encoded: bytes) != nil
        {
            image =
                "<tr><th scope=\"row\">Image</th><td><img alt=\"\" src=\"data:\(type);base64,\(bytes)\"></td></tr>\n"
            fields["image"] = nil
        }
        let rows = fields.sorted { $0.key < $1.key }.map { name, value in
            "<tr><th scope=\"row\">\(Self.label(name))</th><td dir=\"auto\">\(html(value, name))</td></tr>\n"
        }
        return "<table><tbody>\n\(rows.joined())\(image)</tbody></table>\n"
    }

    /// The value, escaped; a time in the archive's zone, with the zone.
    func html(_ value: ArchiveValue, _ name: String) -> String {
        switch value {
        case .text(let text):
            guard name == "at" || name.hasSuffix("At"), let date = WireJSON.date(from: text) else {
                return Self.escaped(text)
            }
            return "<time datetime=\"\(Self.escaped(text))\">\(Self.escaped(time(date)))</time>"
        case .number(let number):
            return number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
        case .truth(let truth): return truth ? "yes" : "no"
        case .nothing: return ""
        case .list(let values):
            return "<ul>" + values.map { "<li>\(html($0, ""))</li>" }.joined() + "</ul>"
        case .object(let fields):
            let items = fields.sorted { $0.key < $1.key }.map { "<li>\(Self.label($0)): \(html($1, $0))</li>" }
            return "<ul>\(items.joined())</ul>"
        }
    }

    /// `2026-11-21 19:24:00 UTC+01:00`.
    private func time(_ date: Date) -> String {
        let offset = zone.secondsFromGMT(for: date)
        let local = WireJSON.text(of: date.addingTimeInterval(TimeInterval(offset))).prefix(19).replacing(
            "T", with: " ")
        let (hours, minutes) = (abs(offset) / 3_600, abs(offset) / 60 % 60)
        let digits = [hours, minutes].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
        return "\(local) UTC\(offset < 0 ? "-" : "+")\(digits)"
    }

    static func head(_ columns: [String]) -> String {
        "<table><thead><tr>" + columns.map { "<th scope=\"col\">\(label($0))</th>" }.joined()
            + "</tr></thead><tbody>\n"
    }

    /// `Placed at` for `placedAt`.
    private static func label(_ name: String) -> String {
        var words = ""
        for character in name { words += character.isUppercase ? " \(character.lowercased())" : "\(character)" }
        return escaped(words.prefix(1).uppercased() + words.dropFirst())
    }

    /// The text without characters that no page may have, nor a terminal show.
    static func escaped(_ text: String) -> String {
        let shown = text.unicodeScalars.filter { !($0.properties.generalCategory == .control && $0 != "\n") }
        return PageTemplates.escaped(String(String.UnicodeScalarView(shown)))
    }
}
