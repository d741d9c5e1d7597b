/// Collects what is wrong with a body, place by place, so that its sender is told all of it at once.
///
/// It begins with what could not be decoded; what depends on such a part is not checked.
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

    /// Notes a fault unless the text is 1 to so many characters, none a control one.
    package mutating func plainText(_ text: String, _ path: String, charactersMax: Int) {
        require(
            text.isPlainText(charactersMax: charactersMax), path, plainTextMessage(charactersMax: charactersMax))
    }

    /// The same of a reason, as ``Swift/String/reason(at:)`` reads it.
    package mutating func reason(_ text: String?, _ path: String = "reason") {
        guard let text else { return }
        plainText(text.trimmed, path, charactersMax: reasonCharactersMax)
    }

    /// Whether a place, with all of its parts and all that it is part of, was decoded.
    private func isReadable(_ path: String) -> Bool {
        !faultyPlaces.contains { $0 == path || $0.isInside(path) || path.isInside($0) }
    }
}
