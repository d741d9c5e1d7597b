import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import Messages

/// What is known of an activity's cards: how many show what they should, and of each other one why it does not and what a
/// person can do.
///
/// A card shows it when its phone confirmed the wanted revision, or was sent it over a stream that is open, or Apple
/// accepted it and nothing speaks against its having come.
struct CardsDiagnosis: Hashable {
    /// Whether there is an activity at all.
    let isKnown: Bool
    let count: Int
    let behind: Int
    let shown: Int
    /// Of those that show it, the ones whose phone has not told so: Apple accepted it.
    let assumed: Int
    /// Devices that may have a card of it.
    private let registered: Int
    /// One clause for each device of which something is to be said, in the order of the cards.
    let notes: [String]
    /// What a person can do about the first of them.
    let advice: String?
    /// Why the first that is behind is.
    let why: String
    /// What a person can do about that one; nil where sending it again is all that there is.
    let behindAdvice: String?

    /// - Parameters:
    ///   - phones: what the devices of the cards were sent, as far as that is known.
    ///   - now: domain time.
    init(_ activities: [ActivityBody], phones: [CustomerPhoneBody] = [], now: Date, timeZone: TimeZone) {
        let activity = activities.first
        isKnown = activity != nil
        let cards = (activity?.cards ?? []).filter { !["replaced", "signed_out"].contains($0.state) }
        let late = cards.filter(\.isBehind)
        count = cards.count
        behind = late.count
        func phone(_ card: CardBody) -> CustomerPhoneBody? { phones.first { $0.id == card.device } }
        let explained = late.first.flatMap { card in phone(card).flatMap { card.explained(by: $0, timeZone) } }
        why =
            explained?.note
            ?? late.first.flatMap { card in card.reason.map { "\(card.device) \($0.clause)" } ?? card.why } ?? "unknown"
        behindAdvice = explained?.advice ?? late.first?.reason?.advice
        let wanted = activity?.wanted.content.revision
        let showing = wanted.map { wanted in cards.filter { $0.shows(wanted, on: phone($0)) } } ?? []
        shown = showing.count
        assumed = showing.count { $0.transport != "stream" && $0.confirmed != wanted }
        registered = phones.count
        let findings =
            wanted.map { wanted in
                cards.compactMap { $0.finding(wanted, on: phone($0), now: now, timeZone: timeZone) }
            } ?? []
        let signedOut = cards.isEmpty ? (activity?.cards ?? []).filter { $0.state == "signed_out" } : []
        notes =
            findings.map(\.note)
            + signedOut.map { "another customer has signed in on \($0.device), where it was shown before" }
        advice = findings.compactMap(\.advice).first ?? (cards.isEmpty ? Self.noDevice(isKnown: isKnown) : nil)
    }

    /// What a person can do where no device has a card.
    private static func noDevice(isKnown: Bool) -> String {
        isKnown
            ? "tell the customer to open the app and to sign in: that registers the device, and it is sent the card"
            : "nothing for a minute; if that lasts: doorstep admin doctor"
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
        return ([screens + known] + notes).joined(separator: "; ")
    }
}

extension CardBody {
    fileprivate struct Finding {
        let note: String
        var advice: String?
    }

    private var isOnScreen: Bool { state == "active" || state == "ended" }

    fileprivate func shows(_ wanted: Revision, on phone: CustomerPhoneBody?) -> Bool {
        guard isOnScreen, !isBehind else { return false }
        if confirmed == wanted { return true }
        if let phone, phone.holdsBack || phone.hasMissedNewest(of: card) { return false }
        return sent == wanted && answered == "taken" && (transport != "stream" || isConnected == true)
    }

    /// What is to be said of a card that does not show a revision; nil where its diagnosis is told elsewhere or there is
    /// nothing to say.
    fileprivate func finding(
        _ wanted: Revision, on phone: CustomerPhoneBody?, now: Date, timeZone: TimeZone
    ) -> Finding? {
        guard !shows(wanted, on: phone), !isBehind else { return nil }
        if state != "dismissed", state != "swiped", let explained = phone.flatMap({ explained(by: $0, timeZone) }) {
            return explained
        }
        switch state {
        // Its end was shown, and its time was over.
        case "dismissed": return nil
        case "swiped":
            return Finding(
                note: "on \(device) the customer swiped it away",
                advice: "nothing: what was swiped away does not come back for this delivery")
        case "lost":
            return Finding(
                note: "\(device) never confirmed it, or is gone", advice: "tell the customer to open the app")
        default: break
        }
        if let reason, isOnScreen ? reason.isOfDevice : true {
            return Finding(note: "\(device) \(reason.clause)", advice: reason.advice)
        }
        guard isOnScreen else { return Finding(note: "\(device): \(state)\(why.map { ", \($0)" } ?? "")") }
        guard transport == "stream" else {
            return phone.flatMap { heldBack(by: $0, timeZone) }
                ?? Finding(note: "\(device) is being sent \(wanted.text)")
        }
        return away(wanted, now: now, timeZone: timeZone)
    }

    /// What Apple, or the phone's app, has said that explains a card: more than its reason alone; nil where nothing was.
    fileprivate func explained(by phone: CustomerPhoneBody, _ timeZone: TimeZone) -> Finding? {
        let push = phone.cards.first { $0.card == card }?.newestPush
        func finding(_ reason: String, of result: String?, _ clause: (String) -> String) -> Finding {
            let reason = PushReason(reason, of: result)
            return Finding(note: "\(device) \(clause(reason.sentence))", advice: reason.advice)
        }
        switch (state, reason) {
        case (_, .halted?):
            if let circuit = phone.circuits.first {
                return finding(circuit.reason, of: "halted") {
                    "is sent nothing since \(circuit.since.clock(in: timeZone)): \($0); tried again at "
                        + circuit.nextTryAt.clock(in: timeZone, withSeconds: true)
                }
            }
            return push?.reason.map { finding($0, of: push?.result) { "is sent nothing: \($0)" } }
        case ("lost", _), (_, .noStartToken?):
            guard push?.result == "gone", let reason = push?.reason else { return nil }
            return finding(reason, of: "gone") { "cannot be sent it: \($0)" }
        case (_, .retrying?):
            return push?.reason.map { finding($0, of: push?.result) { "did not take it: \($0); it is sent again" } }
        case (_, .startBudget?):
            guard let next = phone.nextStartAt else { return nil }
            return Finding(
                note: "\(device) \(CardReason.startBudget.clause), until \(next.clock(in: timeZone))",
                advice: CardReason.startBudget.advice)
        case (_, .startFailed?):
            guard let failure = phone.startFailure else { return nil }
            return Finding(
                note: "\(device) could not show it: \(StartFailureText(failure.code).sentence)",
                advice: CardReason.startFailed.advice)
        default: return nil
        }
    }

    /// A card that Apple was given what it should show, and whose phone does not.
    private func heldBack(by phone: CustomerPhoneBody, _ timeZone: TimeZone) -> Finding? {
        let frequent =
            phone.frequentPushesEnabled
            ? "" : "; and allows frequent updates for this app in Settings, so that it takes more"
        let advice = "tell the customer to open the app, which shows what is true, whatever its card says\(frequent)"
        if phone.holdsBack, let high = phone.lastHour?.high {
            return Finding(
                note:
                    "\(device) does not take all of it (urgent pushes of the last hour: \(high.text)): its system holds "
                    + "them back, since an app may change its cards only so often, or it was offline", advice: advice)
        }
        guard phone.hasMissedNewest(of: card),
            let missedAt = phone.cards.first(where: { $0.card == card })?.newestPush?.missedAt
        else { return nil }
        return Finding(
            note: "\(device) did not show it yet when its app looked at \(missedAt.clock(in: timeZone))", advice: advice
        )
    }

    /// A card of a device whose stream is closed: it shows what it confirmed, and the rest when it is back.
    private func away(_ wanted: Revision, now: Date, timeZone: TimeZone) -> Finding {
        let knows = confirmed.map { "confirmed \($0.text) of \(wanted.text)" } ?? "has confirmed nothing yet"
        guard isConnected != true else {
            return Finding(
                note: "\(device) is connected and \(knows)",
                advice: "nothing yet: it has been sent all of it; if that lasts, the customer closes and opens the app")
        }
        guard let seen = lastConnectedAt else {
            return Finding(
                note: "\(device) has not been connected since its card was made, and \(knows)",
                advice: "tell the customer to open the app: nothing reaches a device that never connects")
        }
        return Finding(
            note: "\(device) was last connected \(seen.ago(now)), at \(seen.clock(in: timeZone)), and \(knows)",
            advice: "nothing here: the phone is offline or its app is closed, and it is sent the rest when it is back; "
                + "call the customer about what cannot wait")
    }

    /// Why it does not show the wanted state; nil for a code that is not known here.
    var reason: CardReason? { why.flatMap(CardReason.init) }
}

extension Date {
    /// How long ago it was, in whole units: `12 min ago`, `2 h 5 min ago`, `3 d ago`; `just now` in the first minute.
    func ago(_ now: Date) -> String {
        let minutes = Int((max(0, now.timeIntervalSince(self)) / 60).rounded(.down))
        switch minutes {
        case 0: return "just now"
        case ..<60: return "\(minutes) min ago"
        case ..<(24 * 60): return "\(minutes / 60) h \(minutes % 60) min ago"
        default: return "\(minutes / 60 / 24) d ago"
        }
    }
}

extension Revision {
    /// `v17`, or `v17.2` where courier-eta has published since.
    var text: String { step == 0 ? "v\(version)" : "v\(version).\(step)" }
}
