package import DoorstepAPI
internal import LiveActivity
package import TimePresentation

/// What is known of an activity's cards: how many show what they should, and of each other one why it does not and what a
/// person can do.
///
/// A card shows it when its phone confirmed the wanted revision, or was sent it over a stream that is open, or Apple
/// accepted it and nothing speaks against its having come.
package struct CardsDiagnosis: Hashable, Sendable {
    /// Whether there is an activity at all.
    package let isKnown: Bool
    package let count: Int
    package let behind: Int
    package let shown: Int
    /// Of those that show it, the ones whose phone has not told so: Apple accepted it.
    package let assumed: Int
    /// The devices whose app put on the card what it shows, since no push had come.
    private let updatedByApp: [String]
    /// Devices that may have a card of it.
    private let registered: Int
    /// One clause for each device of which something is to be said, in the order of the cards.
    package let notes: [String]
    /// What a person can do about the first of them.
    package let advice: Advice?
    /// Why the first that is behind is.
    package let why: String
    /// What a person can do about that one; nil where sending it again is all that there is.
    package let behindAdvice: Advice?

    /// - Parameters:
    ///   - phones: what the devices of the cards were sent, as far as that is known.
    ///   - times: how the times in its texts are written, and when they are read.
    package init(_ activities: [ActivityBody], phones: [CustomerPhoneBody] = [], _ times: StoreTimes) {
        let activity = activities.first
        isKnown = activity != nil
        let cards = (activity?.cards ?? []).filter { !["replaced", "signed_out"].contains($0.state) }
        let late = cards.filter(\.isBehind)
        count = cards.count
        behind = late.count
        func phone(_ card: CardBody) -> CustomerPhoneBody? { phones.first { $0.id == card.device } }
        let explained = late.first.flatMap { card in
            phone(card).flatMap { card.explained(by: $0, times) } ?? card.frozenFinding(times)
        }
        why =
            explained?.note
            ?? late.first.flatMap { card in card.reason.map { "\(card.device) \($0.clause)" } ?? card.why } ?? "unknown"
        behindAdvice = explained?.advice ?? late.first?.reason?.advice
        let wanted = activity?.wanted.content.revision
        let showing = wanted.map { wanted in cards.filter { $0.shows(wanted, on: phone($0)) } } ?? []
        shown = showing.count
        assumed = showing.count { $0.transport != "stream" && $0.confirmed != wanted }
        updatedByApp = showing.filter(\.isUpToDateByApp).map(\.device)
        registered = phones.count
        let findings =
            wanted.map { wanted in
                cards.compactMap { $0.finding(wanted, on: phone($0), times) }
            } ?? []
        let signedOut = cards.isEmpty ? (activity?.cards ?? []).filter { $0.state == "signed_out" } : []
        notes =
            findings.map(\.note)
            + signedOut.map { "another customer has signed in on \($0.device), where it was shown before" }
        advice = findings.compactMap(\.advice).first ?? (cards.isEmpty ? Self.noDevice(isKnown: isKnown) : nil)
    }

    /// What a person can do where no device has a card.
    private static func noDevice(isKnown: Bool) -> Advice {
        isKnown
            ? "tell the customer to open the app and to sign in: that registers the device, and it is sent the card"
            : "nothing for a minute; if that lasts: \(action: .checkServices)"
    }

    /// Such as `1 of its 2 cards is behind`.
    package var behindText: String {
        if count == 1 { return "its card is behind" }
        return "\(behind) of its \(count) cards \(behind == 1 ? "is" : "are") behind"
    }

    /// How many show it, then what is to be said of the others.
    package var text: String {
        let screens =
            switch (count, shown) {
            case (0, _) where !isKnown: "no screen shows it yet: activity-dispatch has not been told of it"
            case (0, _) where registered > 0: "none of the customer's \(registered) devices has a card of it"
            case (0, _): "no device that may show it is registered"
            case (1, 1): "the one card shows it"
            case (1, _): "its one card does not show it"
            case (_, count): "all \(count) cards show it"
            case (_, 0): "none of its \(count) cards shows it"
            default: "\(shown) of its \(count) cards \(shown == 1 ? "shows" : "show") it"
            }
        let known =
            switch (assumed, count) {
            case (0, _): ""
            case (1, 1): ", as far as is known: Apple accepted it, and the app has not told yet that it came"
            default:
                ", \(assumed) of them as far as is known: Apple accepted it, and the app has not told yet that it came"
            }
        let byApp =
            updatedByApp.isEmpty
            ? "" : ", on \(updatedByApp.joined(separator: " and on ")) since the app brought its card up to date"
        return ([screens + known + byApp] + notes).joined(separator: "; ")
    }
}
