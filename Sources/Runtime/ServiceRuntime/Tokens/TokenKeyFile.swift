package import Foundation

/// The document in `auth.keys.file`: trusted keys, and revoked tokens.
///
/// Every service reads the document and none changes it. A plain list of keys is read as a document without
/// revocations.
package struct TokenKeyFile: Codable, Hashable, Sendable {
    package var keys: [TokenKeys.Entry]
    package var revoked: [TokenRevocation]

    package init(keys: [TokenKeys.Entry], revoked: [TokenRevocation] = []) {
        self.keys = keys
        self.revoked = revoked
    }

    private enum CodingKeys: String, CodingKey { case keys, revoked }

    package init(from decoder: any Decoder) throws {
        // A file that is no list is decoded as an object below, and that error is thrown.
        if (try? decoder.unkeyedContainer()) != nil {
            self.init(keys: try [TokenKeys.Entry](from: decoder))
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                keys: try container.decode([TokenKeys.Entry].self, forKey: .keys),
                revoked: try container.decodeIfPresent([TokenRevocation].self, forKey: .revoked) ?? [])
        }
    }

    /// - Throws: `DecodingError`.
    package init(json data: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(Self.self, from: data)
    }

    /// Reads a file's content, or the copy beside the file where the content was cut by a power cut.
    ///
    /// - Throws: `DecodingError` of the content.
    package init(json data: Data, at path: String) throws {
        do {
            try self.init(json: data)
        } catch {
            // A copy that is none either is not what the reader asked for.
            guard let copy = FileManager.default.contents(atPath: Self.copy(of: path)),
                let whole = try? Self(json: copy)
            else { throw error }
            self = whole
        }
    }

    /// The file that a change of a key file writes first, and that is there until the key file is whole.
    package static func copy(of path: String) -> String { path + ".whole" }

    /// - Throws: `EncodingError`.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(self)
    }

    /// Adds a revocation; a revocation of a bearer's tokens replaces the bearer's earlier one.
    package mutating func revoke(_ revocation: TokenRevocation) {
        if case .issued(let subject, let role, _) = revocation {
            revoked.removeAll { if case .issued(subject, role, _) = $0 { true } else { false } }
        }
        if !revoked.contains(revocation) { revoked.append(revocation) }
    }
}
