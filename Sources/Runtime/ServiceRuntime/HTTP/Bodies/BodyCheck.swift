/// Collects a body's faults by place, so that one answer reports all of them.
///
/// It begins with the parts that could not be decoded; checks that depend on such a part are skipped.
package struct BodyCheck: Sendable {
    package private(set) var errors: [Problem.FieldError]
    /// Places that something else stands in for.
    private let faultyPlaces: [String]

    package init() { self.init(faultyParts: [], unknownProperties: []) }

    init(faultyParts: [Problem.FieldError], unknownProperties: [Problem.FieldError]) {
        errors = faultyParts + unknownProperties
        faultyPlaces = faultyParts.map(\.path)
    }

    /// Notes a fault at a place unless the claim holds.
    ///
    /// - Parameter others: further places that the claim is about.
    package mutating func require(
        _ claim: @autoclosure () -> Bool, _ path: String, _ message: @autoclosure () -> String,
        allowed: [String]? = nil, reading others: [String] = []
    ) {
        guard isReadable(path), others.allSatisfy(isReadable), !claim() else { return }
        errors.append(Problem.FieldError(path: path, message: message(), allowed: allowed))
    }

    /// Records a fault unless the text has 1 to `charactersMax` characters without control characters.
    package mutating func plainText(_ text: String, _ path: String, charactersMax: Int) {
        require(
            text.isPlainText(charactersMax: charactersMax), path, plainTextMessage(charactersMax: charactersMax))
    }

    /// Checks a reason like ``plainText(_:_:charactersMax:)``, in the form of ``Swift/String/reason(at:)``.
    package mutating func reason(_ text: String?, _ path: String = "reason") {
        guard let text else { return }
        plainText(text.trimmed, path, charactersMax: reasonCharactersMax)
    }

    /// Whether a place, with all of its parts and all that it is part of, was decoded.
    private func isReadable(_ path: String) -> Bool {
        !faultyPlaces.contains { $0 == path || $0.isInside(path) || path.isInside($0) }
    }
}
