import Foundation
import Testing
import Yams

/// A value of a YAML document, looked into without ceremony; merge keys are resolved.
struct YAML {
    let value: Any?

    init(_ value: Any?) { self.value = value }

    /// The documents of one file of the project.
    static func documents(_ path: String) throws -> [YAML] {
        let text = try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
        return try Yams.load_all(yaml: text).map { YAML($0) }
    }

    static func document(_ path: String) throws -> YAML { try #require(try documents(path).first) }

    subscript(key: String) -> YAML { YAML((value as? [String: Any])?[key]) }
    subscript(index: Int) -> YAML { items.indices.contains(index) ? items[index] : YAML(nil) }

    var items: [YAML] { (value as? [Any])?.map { YAML($0) } ?? [] }
    var keys: Set<String> { Set((value as? [String: Any])?.keys.map { $0 } ?? []) }
    var text: String? { value as? String }
    var number: Int? { value as? Int }
    var isTrue: Bool { value as? Bool == true }
    var texts: [String] { items.compactMap(\.text) }
    var isThere: Bool { value != nil && !(value is NSNull) }
}
