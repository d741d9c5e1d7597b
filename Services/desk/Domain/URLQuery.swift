import Foundation

/// The query of a URL, with its question mark.
enum URLQuery {
    /// The fields that have a value; empty without any.
    static func text(_ fields: [(name: String, value: String?)]) -> String {
        let set = fields.compactMap { field in
            field.value.map {
                "\(field.name)=\($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
            }
        }
        return set.isEmpty ? "" : "?" + set.joined(separator: "&")
    }
}
