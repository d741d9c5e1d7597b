import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import Messages

/// What is known of an activity's cards: how many show what they should, and of each other one why it does not and what a
/// person can do.
///
/// A card shows it when its phone confirmed the wanted revision, or was sent it over a stream that is open, or by Apple.
struct CardsDiagnosis: Hashable {
    /// Whether there is an activity at all.
    let isKnown: Bool
    let count: Int
    let behind: Int
    let shown: Int
    /// One clause for each device on which something is to be said, in the order of the cards.
    let notes: [String]
    /// What a person can do about the first of them.
    let advice: String?
    /// Why the first that is behind is.
    let why: String

    /// - Parameter now: domain time.
    init(_ activities: [ActivityBody], now: Date, timeZone: TimeZone) {
        let activity = activities.first
        isKnown = activity != nil
        let cards = (activity?.cards ?? []).filter { !["replaced", "signed_out"].contains($0.state) }
        let late = cards.filter(\.isBehind)
        count = cards.count
        behind = late.count
        why = late.first?.why ?? "unknown"
        let wanted = activity?.wanted.content.revision
        shown = wanted.map { wanted in cards.count { $0.shows(wanted) } } ?? 0
        let findings =
            wanted.map { wanted in cards.compactMap { $0.finding(wanted, now: now, timeZone: timeZone) } } ?? []
        notes = findings.map(\.note)
        advice = findings.compactMap(\.advice).first
    }

    /// Such as `1 of its 2 cards is behind`.
    var behindText: String {
        if count == 1 { return "its card is behind" }
        return "\(behind) of its \(count) cards \(behind == 1 ? "is" : "are") behind"
    }

    /// How many show it, then what is to be said of the others.
    var text: String {
        let screens =
            switch (count, shown) {
            case (0, _) where !isKnown: "no screen shows it yet: activity-dispatch has not been told of it"
            case (0, _): "no device of the customer's is registered to show it"
            case (1, 1): "the one card shows it"
            case (1, _): "its one card does not show it"
            case (_, count): "all \(count) cards show it"
            case (_, 0): "none of its \(count) cards shows it"
            default: "\(shown) of its \(count) cards \(shown == 1 ? "shows" : "show") it"
            }
        return ([screens] + notes).joined(separator: "; ")
    }
}

extension CardBody {
    fileprivate struct Finding {
        let note: String
        var advice: String?
    }

    private var isOnScreen: Bool { state == "active" || state == "ended" }

    fileprivate func shows(_ wanted: Revision) -> Bool {
        guard isOnScreen, !isBehind else { return false }
        if confirmed == wanted { return true }
        return sent == wanted && answered == "taken" && (transport != "stream" || isConnected == true)
    }

    /// What is to be said of a card that does not show a revision; nil where its diagnosis is told elsewhere or there is
    /// nothing to say.
    fileprivate func finding(_ wanted: Revision, now: Date, timeZone: TimeZone) -> Finding? {
        guard !shows(wanted), !isBehind else { return nil }
        switch (state, why) {
        // Its end was shown, and its time was over.
        case ("dismissed", _): return nil
        case ("swiped", _): return Finding(note: "on \(device) the customer swiped it away")
        case ("lost", _):
            return Finding(note: "\(device) never confirmed it, or is gone")
        case (_, "switched_off"):
            return Finding(
                note: "\(device) cannot show it: its owner has switched Live Activities off",
                advice: "tell the customer to allow Live Activities for this app in Settings")
        case (_, "no_start_token"):
            return Finding(
                note: "\(device) cannot show it: the app was never allowed Live Activities, or was not opened since",
                advice: "tell the customer to open the app once and to allow Live Activities")
        case (_, "too_many_cards"):
            return Finding(
                note: "\(device) shows as many cards as it may, and this one when one of them ends",
                advice: "nothing, or end a card of the same customer: doorstep ops end-card …")
        case (_, "not_yet"):
            return Finding(note: "\(device) starts its card later")
        case ("active", _), ("ended", _):
            guard transport == "stream" else {
                return Finding(note: "\(device) is being sent \(wanted.text)")
            }
            return away(wanted, now: now, timeZone: timeZone)
        default: return Finding(note: "\(device): \(state)\(why.map { ", \($0)" } ?? "")")
        }
    }

    /// A card of a device whose stream is closed: it shows what it confirmed, and the rest when it is back.
    private func away(_ wanted: Revision, now: Date, timeZone: TimeZone) -> Finding {
        let knows = confirmed.map { "confirmed \($0.text) of \(wanted.text)" } ?? "has confirmed nothing yet"
        guard isConnected != true else { return Finding(note: "\(device) is connected and \(knows)") }
        guard let seen = lastConnectedAt else {
            return Finding(note: "\(device) has not been connected since its card was made, and \(knows)")
        }
        let minutes = max(0, Int((now.timeIntervalSince(seen) / 60).rounded(.down)))
        return Finding(
            note: "\(device) was last connected \(minutes) min ago, at \(seen.clock(in: timeZone)), and \(knows)",
            advice: "nothing here: the phone is offline or its app is closed, and it is sent the rest when it is back")
    }
}

extension Revision {
    /// `v17`, or `v17.2` where courier-eta has published since.
    var text: String { step == 0 ? "v\(version)" : "v\(version).\(step)" }
}
