import CommandOutput

/// What one service answered to a read, or that it did not answer.
enum PeerAnswer<Body: Sendable>: Sendable {
    case body(Body)
    /// It answered that it has nothing: not yet, or not any more.
    case notFound
    /// It did not answer.
    case unavailable(reason: String)

    /// Nil where there is none.
    var body: Body? {
        switch self {
        case .body(let body): body
        case .notFound, .unavailable: nil
        }
    }

    func map<Part: Sendable>(_ part: (Body) -> Part) -> PeerAnswer<Part> {
        switch self {
        case .body(let body): .body(part(body))
        case .notFound: .notFound
        case .unavailable(let reason): .unavailable(reason: reason)
        }
    }

    /// Sends a request whose absence of an answer is a result, not an error.
    ///
    /// - Throws: `CommandFailure` only for what is about the caller, such as a token that is not good.
    static func request(_ send: () async throws -> Body) async throws -> PeerAnswer<Body> {
        do {
            return .body(try await send())
        } catch let failure as CommandFailure {
            switch failure.kind {
            case .notFound: return .notFound
            case .unavailable: return .unavailable(reason: failure.message)
            case .usage, .notAllowed, .conflict, .interrupted: throw failure
            }
        }
    }
}
