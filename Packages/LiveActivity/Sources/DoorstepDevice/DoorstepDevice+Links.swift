public import Foundation

extension DoorstepDevice {
    /// Shows what a card's link stands for, and changes nothing: to ask before something is done.
    ///
    /// - Throws: `DoorstepProblem`, whose `localizedDescription` is for the customer; `not-a-link` for any other URL.
    public func link(_ url: URL) async throws -> LinkAnswer {
        try await server.link(.get, checked(url))
    }

    /// Does what a card's link stands for, as the customer whose token is given; a repeat gets the first answer.
    ///
    /// - Throws: `DoorstepProblem`; `stale-press` where it cannot be done any more.
    public func press(_ url: URL) async throws -> LinkAnswer {
        try await server.link(.post, checked(url))
    }

    private func checked(_ url: URL) throws(DoorstepProblem) -> URL {
        guard configuration.isLink(url) else { throw .notALink }
        return url
    }
}

extension DoorstepProblem {
    static let notALink = DoorstepProblem(
        status: nil, type: "not-a-link", title: "This is not a link of a delivery",
        detail: "This is not a link of a delivery. Open it from the card again.")

    static func notKept(_ error: any Error) -> DoorstepProblem {
        DoorstepProblem(
            status: nil, type: "not-kept", title: "The device's identity could not be read or kept",
            detail: String(describing: error))
    }
}
