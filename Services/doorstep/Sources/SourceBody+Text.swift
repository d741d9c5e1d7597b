import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

extension SourceBody {
    /// The source as lines to print, with the values for the provider and each new secret.
    ///
    /// - Parameter times: the format of its times.
    func text(_ times: StoreTimes) -> String {
        let lines = NamedValues([
            ("source", id.rawValue), ("provider", provider), ("name", name),
            ("store", store?.rawValue ?? "every store"), ("webhooks to", url),
            ("tokens from", tokenURL), ("client id", tokenURL == nil ? nil : id.rawValue),
            ("test events", acceptsTest ? "are taken for real" : "are kept apart"),
            ("added", times.text(createdAt, withSeconds: true)), ("times are", times.zoneName),
        ]).lines
        let rows = secrets.map { secret in
            [
                "", secret.id, times.text(secret.createdAt, withSeconds: true),
                secret.secret.map { "\($0) (shown this once)" } ?? "not shown any more",
            ]
        }
        let table = rows.isEmpty ? [] : ["", "secrets"] + Table(["", "ID", "SINCE", "SECRET"], rows).lines
        return (lines + table).joined(separator: "\n")
    }
}

extension [SourceBody] {
    var table: Table {
        Table(
            ["SOURCE", "PROVIDER", "NAME", "STORE", "SECRETS", "TEST EVENTS", "URL"], of: self, ifEmpty: "no sources"
        ) { source in
            [
                source.id.rawValue, source.provider, source.name ?? "–", source.store?.rawValue ?? "every",
                String(source.secrets.count), source.acceptsTest ? "taken" : "kept apart", source.url,
            ]
        }
    }
}
