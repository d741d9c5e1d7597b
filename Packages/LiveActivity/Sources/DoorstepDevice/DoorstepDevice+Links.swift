public import Foundation
import LiveActivity

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

    /// Does what a card's link stands for without opening the app, and shows the outcome on the card.
    ///
    /// For the `perform()` of a `LiveActivityIntent`, which runs in the app's process. A failed press shows its reason
    /// on the card. Where Doorstep is not reached afterwards, the card shows the outcome with the next push; where it is
    /// not reached at all, as without a network, the card stays as it is.
    /// - Parameter activity: of the attributes of the card that was pressed.
    public func pressOnCard(_ url: URL, activity: String) async -> PressOutcome {
        let sessions = sessions
        let outcome: PressOutcome
        do throws(DoorstepProblem) {
            outcome = .done(try await server.link(.post, checked(url)))
        } catch {
            outcome = .refused(error)
        }
        await show(outcome, on: activity, since: sessions)
        return outcome
    }

    /// Puts the outcome on the cards of an activity, ordered among pushes as what is wanted is.
    private func show(_ outcome: PressOutcome, on activity: String, since sessions: Int) async {
        // The caller receives the outcome in any case; without an answer the next push updates the card.
        guard let wanted = try? await wanted().first(where: { $0.activity == activity }) else { return }
        let content = outcome.content(wanted.content)
        for card in liveCards(of: wanted) where card.revision <= content.revision && isSignedIn(since: sessions) {
            await update(card, to: wanted.with(content))
        }
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
            detail: DoorstepProblem.words(of: error))
    }
}
