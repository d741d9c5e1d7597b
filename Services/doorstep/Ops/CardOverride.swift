import ArgumentParser
import DoorstepAPI
import Foundation
import NIOHTTP1

/// Something an operator does to the cards of deliveries.
struct CardOverride: ParsableArguments {
    @Argument(help: "The deliveries' ids.")
    var deliveries: [String]
    @Flag(help: "Only says what would be done.")
    var dryRun = false

    /// Finds the newest activity of each delivery and does it there.
    ///
    /// - Parameters:
    ///   - what: in words: `resent`.
    ///   - verb: after `/v1/activities/{id}/`.
    ///   - device: the only one that it is done on.
    func make(_ what: String, _ verb: String, reason: String, device: String? = nil) async throws {
        let client = try PeerClient(.activityDispatch, as: .operator)
        try await forEach(deliveries) { delivery in
            guard let activity = try await client.activities(of: delivery).first else {
                throw CommandFailure(.notFound, "it has no activity")
            }
            if dryRun {
                let cards = activity.cards.filter { device == nil || $0.device == device }
                let places = cards.map { "\($0.device) (\($0.state))" }.joined(separator: ", ")
                print("would be \(what): \(activity.id) on \(places.isEmpty ? "no device" : places)".safeOnTerminal)
                return
            }
            let answer = try await client.send(
                .POST, "/v1/activities/\(activity.id)/\(verb)", body: EndCardBody(reason: reason, device: device),
                as: OverriddenBody.self)
            print("\(what): \(activity.id) on \(answer.body.cards) card\(answer.body.cards == 1 ? "" : "s")")
        }
    }
}

/// Does something to each of many, and says of those that it could not be done to why.
///
/// - Throws: the failure where there is one thing only; else one with the first failure's code.
func forEach<Thing: Sendable>(_ things: [Thing], _ body: (Thing) async throws -> Void) async throws {
    var firstFailure: CommandFailure?
    for thing in things {
        do {
            try await body(thing)
        } catch let failure as CommandFailure {
            if things.count == 1 { throw failure }
            FileHandle.standardError.write(Data("\(thing): \(failure.message)\n".utf8))
            firstFailure = firstFailure ?? failure
        }
    }
    if let firstFailure { throw CommandFailure(firstFailure.kind, "not all of them could be done") }
}
