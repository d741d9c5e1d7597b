/// One service's answer to a read, or its failure to answer.
package enum PeerAnswer<Body: Sendable>: Sendable {
    case body(Body)
    /// The service answered 404: the object does not exist yet, or has been deleted.
    case notFound
    /// The service did not answer.
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
