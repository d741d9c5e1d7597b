import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// An operator's override of the cards of deliveries.
struct CardOverride: ParsableArguments {
    @Argument(help: DeliveryFinder.help)
    var deliveries: [String]
    @ArgumentParser.Flag(help: "Only print the planned changes.")
    var dryRun = false

    /// Finds the newest activity of each delivery and overrides its cards.
    ///
    /// - Parameters:
    ///   - what: the override in words: `resent`.
    ///   - verb: after `/v1/activities/{id}/`.
    ///   - device: the only affected device; nil for all.
    /// - Throws: `CommandFailure`, of kind conflict where no card of a delivery was changed.
    func make(_ what: String, _ verb: String, reason: String, device: String? = nil) async throws {
        let client = try PeerClient(.activityDispatch, as: .operator)
        let finder = try await DeliveryFinder()
        try await forEachReportingFailures(try await finder.findAll(deliveries)) { named in
            guard let activity = try await client.activities(of: named.id.rawValue).first else {
                throw CommandFailure(.notFound, "it has no activity")
            }
            let place = device == nil ? "" : " on that device"
            let none = CommandFailure(
                .conflict, "no card \(dryRun ? "would be" : "was") changed, since none is live\(place)")
            if dryRun {
                let cards = activity.cards.filter {
                    (device == nil || $0.device == device) && Self.mayChange($0, by: verb)
                }
                guard !cards.isEmpty else { throw none }
                let places = cards.map { "\($0.device) (\($0.state))" }.joined(separator: ", ")
                writeLine("would be \(what): \(activity.id) on \(places)".safeOnTerminal)
                return
            }
            let answer = try await client.send(
                .POST, "/v1/activities/\(activity.id)/\(verb)", body: EndCardBody(reason: reason, device: device),
                as: OverriddenBody.self)
            guard answer.body.cards > 0 else { throw none }
            writeLine("\(what): \(activity.id) on \(answer.body.cards) card\(answer.body.cards == 1 ? "" : "s")")
        }
    }

    /// Whether a card's state permits the change.
    ///
    /// A card that the system has ended can be ended for good; its body does not distinguish it from any other ended
    /// card.
    private static func mayChange(_ card: CardBody, by verb: String) -> Bool {
        verb == "resend" ? card.state == "active" : ["waiting", "starting", "active", "ended"].contains(card.state)
    }
}
