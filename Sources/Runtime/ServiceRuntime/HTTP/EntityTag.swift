package import HTTPTypes

/// The entity tag of a version: `"v17"`, quotes included.
package func entityTag(version: Int) -> String { "\"v\(version)\"" }

/// The entity tag of what has several versioned parts: `"v17-4"`; that of the part where there is one.
package func entityTag(versions: [Int]) -> String {
    "\"v\(versions.map(String.init).joined(separator: "-"))\""
}

/// The condition of an `If-Match` header.
package enum VersionCondition: Hashable, Sendable {
    /// `*`: whatever version is there.
    case any
    /// One of these; foreign tags match nothing.
    case oneOf(Set<Int>)

    /// - Throws: ``Problem``: 412 with the current version, when it is not among the requested ones.
    package func check(current version: Int) throws {
        switch self {
        case .any: return
        case .oneOf(let versions): guard versions.contains(version) else { throw Problem.stale(current: version) }
        }
    }
}

extension HTTPFields {
    /// The `If-Match` header; nil when there is none.
    ///
    /// Weak tags match nothing, since `If-Match` compares strongly (RFC 9110 section 13.1.1).
    /// - Throws: ``Problem``: 400 when it is no list of entity tags.
    package func ifMatch() throws -> VersionCondition? {
        guard let text = self[.ifMatch] else { return nil }
        let tags = text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
        if tags == ["*"] { return .any }
        var versions: Set<Int> = []
        for tag in tags {
            let isWeak = tag.hasPrefix("W/")
            let opaque = isWeak ? tag.dropFirst(2) : tag
            guard opaque.count >= 2, opaque.first == "\"", opaque.last == "\"" else {
                throw Problem.malformed("header If-Match", "is not an entity tag such as \(entityTag(version: 17))")
            }
            let value = opaque.dropFirst().dropLast()
            if !isWeak, value.first == "v", let version = Int(value.dropFirst()) { versions.insert(version) }
        }
        return .oneOf(versions)
    }

    /// The `If-Match` header of a change that must not be made blindly.
    ///
    /// - Throws: ``Problem``: 428 when it is missing, 400 when it is malformed.
    package func requiredIfMatch() throws -> VersionCondition {
        guard let condition = try ifMatch() else { throw Problem.ifMatchMissing() }
        return condition
    }
}

private func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
}
