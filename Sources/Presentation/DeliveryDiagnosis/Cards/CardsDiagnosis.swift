package import DoorstepAPI
internal import Foundation
internal import LiveActivity
package import TimePresentation

/// The diagnosis of an activity's cards: the number that show the wanted state, and for each other card the reason and
/// remedy.
///
/// A card shows the wanted state when its phone confirmed the wanted revision, or received it over an open stream, or
/// Apple accepted it and no report contradicts its arrival.
package struct CardsDiagnosis: Hashable, Sendable {
    /// Whether there is an activity at all.
    package let isKnown: Bool
    package let count: Int
    package let behind: Int
    package let shown: Int
    /// The number of cards counted as shown without the phone's confirmation: Apple accepted the push.
    package let assumed: Int
    /// The devices whose app updated the card itself, since no push had arrived.
    private let updatedByApp: [String]
    /// The devices that started the card without a push, because their app had scheduled it.
    private let startedByThemselves: [String]
    /// Devices that may have a card of it.
    private let registered: Int
    /// The number of cards that start later.
    private let notDue: Int
    /// One clause for each device with a finding, in the order of the cards.
    package let notes: [String]
    /// The remedy for the first finding.
    package let advice: Advice?
    /// Why the first that is behind is.
    package let why: String
    /// The remedy for that card; nil where only a repeated push is left.
    package let behindAdvice: Advice?

    /// - Parameters:
    ///   - phones: the devices' pushes, as far as known.
    ///   - times: the format of times in the texts, and the reader's time.
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
            ?? late.first.flatMap { card in card.reason.map { "\(card.named) \($0.clause)" } ?? card.why } ?? "unknown"
        behindAdvice = explained?.advice ?? late.first?.reason?.advice
        let wanted = activity?.wanted.content.revision
        let showing = wanted.map { wanted in cards.filter { $0.shows(wanted, on: phone($0)) } } ?? []
        shown = showing.count
        assumed = showing.count { $0.transport != "stream" && $0.confirmed != wanted }
        updatedByApp = showing.filter(\.isUpToDateByApp).map(\.named)
        startedByThemselves = showing.filter(\.hasStartedByItself).map(\.named)
        registered = phones.count
        notDue = cards.count(where: \.isNotDue)
        let startsAt = activity.flatMap { Self.start(of: $0, times) }
        // All devices get the card at one time.
        let isStartKnown = startsAt != nil
        let findings =
            wanted.map { wanted in
                cards.filter { !isStartKnown || !$0.isNotDue || $0.reason != .notYet }
                    .compactMap { $0.finding(wanted, on: phone($0), times) }
            } ?? []
        let waits = cards.contains { $0.isNotDue && $0.reason == .notYet } ? [startsAt].compactMap(\.self) : []
        let signedOut = cards.isEmpty ? (activity?.cards ?? []).filter { $0.state == "signed_out" } : []
        notes =
            waits + findings.map(\.note)
            + signedOut.map { "another customer has signed in on \($0.named), which showed the card before" }
        advice =
            findings.compactMap(\.advice).first
            ?? (cards.isEmpty ? Self.noCard(isKnown: isKnown, hasApp: registered > 0 || !signedOut.isEmpty) : nil)
    }

    /// The remedy where no device has a card; nil for a customer without the app, who follows on the page.
    private static func noCard(isKnown: Bool, hasApp: Bool) -> Advice? {
        guard isKnown else { return "wait a minute; if nothing changes: \(action: .checkServices)" }
        return hasApp
            ? "tell the customer to open the app and to sign in: the app then registers the device, and the device gets the card"
            : nil
    }

    /// When cards start that are not due yet; nil where the time is over or there is no such start.
    private static func start(of activity: ActivityBody, _ times: StoreTimes) -> String? {
        guard case .show(let shown) = activity.wanted else { return nil }
        let startsAt = Date(timeIntervalSince1970: TimeInterval(shown.startAt))
        guard startsAt > times.now else { return nil }
        return "the start is at \(times.text(startsAt)), or when picking begins"
    }

    /// A text such as `1 of its 2 cards is outdated`.
    package var behindText: String {
        if count == 1 { return "its card is outdated" }
        return "\(behind) of its \(count) cards \(behind == 1 ? "is" : "are") outdated"
    }

    /// The number of cards that show the wanted state, then the findings about the others.
    package var text: String {
        let screens =
            switch (count, shown) {
            case (0, _) where !isKnown: "no screen shows it yet: activity-dispatch has not received it"
            case (0, _) where registered > 0: "none of the customer's \(registered) devices has a card for it"
            case (0, _): "the customer has no app with cards, and follows on the page of the link"
            case (notDue, _): count == 1 ? "its only card is not due yet" : "its \(count) cards are not due yet"
            case (1, 1): "its only card is up to date"
            case (1, _): "its only card is not up to date"
            case (_, count): "all \(count) cards are up to date"
            case (_, 0): "none of its \(count) cards is up to date"
            default: "\(shown) of its \(count) cards \(shown == 1 ? "is" : "are") up to date"
            }
        let known =
            switch (assumed, count) {
            case (0, _): ""
            case (1, 1): ", as far as known: Apple accepted the push, and the app has not confirmed it yet"
            default:
                ", \(assumed) of them as far as known: Apple accepted the push, and the app has not confirmed it yet"
            }
        let byApp =
            updatedByApp.isEmpty
            ? "" : ", on \(updatedByApp.joined(separator: " and on ")) because the app updated its card itself"
        let starters = startedByThemselves.joined(separator: " and ")
        let byItself = starters.isEmpty ? "" : "; \(starters) started it by itself, since its app had scheduled it"
        return ([screens + known + byApp + byItself] + notes).joined(separator: "; ")
    }
}
