import Foundation
import Messages
import TextCoding

/// Seals the chunks of archives, each for its place, with the keys of customers' PINs.
struct ArchiveBox: Sendable {
    private let box: SecretBox

    init(_ box: SecretBox) { self.box = box }

    /// - Parameter records: JSON objects without line breaks.
    /// - Throws: an error of the cryptographic library.
    func seal(_ records: [String], in section: ArchiveSection, number: Int, of export: UUID) throws -> [UInt8] {
        try box.seal(records.joined(separator: "\n"), of: Self.owner(section, number, export))
    }

    /// - Throws: where the chunk is another place's or damaged, or its key is missing.
    func open(_ sealed: [UInt8], in section: ArchiveSection, number: Int, of export: UUID) throws -> [String] {
        try box.open(sealed, of: Self.owner(section, number, export)).split(separator: "\n").map(String.init)
    }

    private static func owner(_ section: ArchiveSection, _ number: Int, _ export: UUID) -> String {
        "archive \(export) \(section.rawValue) \(number)"
    }
}
