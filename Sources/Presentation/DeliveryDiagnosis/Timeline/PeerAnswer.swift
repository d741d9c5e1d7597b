/// What one service answered to a read, or that it did not answer.
package enum PeerAnswer<Body: Sendable>: Sendable {
    case body(Body)
    /// It answered that it has nothing: not yet, or not any more.
    case notFound
    /// It did not answer.
    case unavailable(reason: String)

    /// Nil where there is none.
    package var body: Body? {
        switch self {
        case .body(let body): body
        case .notFound, .unavailable: nil
        }
    }

    package func map<Part: Sendable>(_ part: (Body) -> Part) -> PeerAnswer<Part> {
        switch self {
        case .body(let body): .body(part(body))
        case .notFound: .notFound
        case .unavailable(let reason): .unavailable(reason: reason)
        }
    }
}
