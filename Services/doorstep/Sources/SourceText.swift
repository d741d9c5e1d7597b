import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import WireCoding

/// One source as lines to print, with what the provider is to be given and each secret that was made just now.
struct SourceText {
    let text: String

    init(_ source: SourceBody) {
        let lines = NamedValues([
            ("source", source.id.rawValue), ("provider", source.provider), ("name", source.name),
            ("store", source.store?.rawValue ?? "every store"), ("webhooks to", source.url),
            ("tokens from", source.tokenURL), ("client id", source.tokenURL == nil ? nil : source.id.rawValue),
            ("test events", source.acceptsTest ? "are taken for real" : "are kept apart"),
            ("added", WireJSON.text(of: source.createdAt)),
        ]).lines
        let rows = source.secrets.map { secret in
            [
                "", secret.id, WireJSON.text(of: secret.createdAt),
                secret.secret.map { "\($0) (shown this once)" } ?? "not shown any more",
            ].map(\.safeOnTerminal)
        }
        let secrets = rows.isEmpty ? [] : ["", "secrets"] + Table(["", "ID", "SINCE", "SECRET"], rows).lines
        text = (lines + secrets).joined(separator: "\n")
    }
}

/// What `partners` answers of one source, to be printed.
struct SourceAnswer {
    private let data: Data

    init(_ data: Data) { self.data = data }

    /// - Throws: `CommandFailure` of kind unavailable where it cannot be read.
    func show(asJSON: Bool) throws {
        guard !asJSON else { return writeJSON(data) }
        guard let source = try? WireJSON.decode(SourceBody.self, from: data) else {
            throw CommandFailure(.unavailable, "partners gave an answer that cannot be read")
        }
        writeLine(SourceText(source).text)
    }
}
