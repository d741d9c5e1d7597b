import Crypto
import Foundation
import Messages
import OrderDomain
import WebPages
import WireCoding

/// An archive as one page that a person reads, in one file: no script, no other resource, every text escaped.
struct ArchivePage: ArchiveFormat {
    private let person: RequestedPerson
    let contentType = "text/html; charset=utf-8"
    let fileExtension = "html"
    private var section = ArchiveSection.person
    private var isEmpty = true
    /// The times' zone, which the first record names.
    private(set) var zone = TimeZone.gmt

    init(of person: RequestedPerson) { self.person = person }

    /// Forbids everything but the page's own style and images; the saved file has it too.
    static let contentSecurityPolicy = """
        default-src 'none'; style-src 'sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())'; \
        img-src data:; base-uri 'none'; form-action 'none'
        """

    private static let style = """
        body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem}\
        table{border-collapse:collapse;margin:0 0 1.5rem;width:100%}\
        th,td{border:1px solid #999;padding:.25rem .5rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}\
        thead th{background:#eee;overflow-wrap:normal}tbody th{width:14rem;font-weight:600}img{max-width:100%}
        """

    var beginning: String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Your data</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="\(Self.escaped(Self.contentSecurityPolicy))">
        <style>\(Self.style)</style></head><body><main>
        <h1>Your data</h1>

        """
    }

    mutating func begin(_ section: ArchiveSection) -> String {
        self.section = section
        isEmpty = true
        return "<section><h2>\(section.title)</h2>\n<p>\(section.explanation)</p>\n"
    }

    mutating func text(of record: String) -> String {
        // Every stored record was encoded as an object by a service; another is shown as it is.
        let fields =
            (try? WireJSON.decode([String: ArchiveValue].self, from: Data(record.utf8))) ?? ["record": .text(record)]
        if section == .person, case .text(let name) = fields["timeZone"] { zone = TimeZone(identifier: name) ?? .gmt }
        defer { isEmpty = false }
        if let columns = section.columns {
            if fields.keys.allSatisfy({ !columns.contains($0) }) {
                let text = Self.escaped(record)
                return (isEmpty ? Self.head(columns) : "") + "<tr><td colspan=\"\(columns.count)\">\(text)</td></tr>\n"
            }
            let cells = columns.map { name in
                "<td dir=\"auto\">\(fields[name].map { html($0, name) } ?? "")</td>"
            }
            return (isEmpty ? Self.head(columns) : "") + "<tr>\(cells.joined())</tr>\n"
        }
        return facts(fields)
    }

    mutating func end(_ section: ArchiveSection) -> String {
        let rest = isEmpty ? "<p>Nothing is stored.</p>\n" : section.columns == nil ? "" : "</tbody></table>\n"
        return rest + "</section>\n"
    }

    var end: String {
        let items = person.leftOut.map { "<li>\(Self.escaped($0))</li>\n" }.joined()
        return "<section><h2>What is left out</h2>\n<ul>\n\(items)</ul></section>\n</main></body></html>\n"
    }
}
