internal import DoorstepAPI
internal import Foundation
internal import LiveActivity
internal import TimePresentation

extension CardBody {
    /// The reason why a card does not show the wanted state.
    struct Finding {
        /// A clause that names the device.
        let note: String
        var advice: Advice?
    }

    /// The device in a sentence: `device iphone-1`.
    var named: String { "device \(device)" }

    private var isOnScreen: Bool { state == "active" || state == "ended" }

    /// Whether the phone started the card without a push, because its app had scheduled it.
    var hasStartedByItself: Bool { scheduledAt != nil && isOnScreen }

    /// Whether its app updated the card to its present state, without a push.
    var isUpToDateByApp: Bool { confirmed != nil && confirmed == updatedByApp }

    /// Whether the card waits for its time to start.
    var isNotDue: Bool { state == "waiting" && !isBehind && (reason == .notYet || reason == .scheduled) }

    /// Whether its phone is known, or may be assumed, to show a revision.
    func shows(_ wanted: Revision, on phone: CustomerPhoneBody?) -> Bool {
        guard isOnScreen, !isBehind else { return false }
        if confirmed == wanted { return true }
        if let phone, phone.holdsBack || phone.hasMissedNewest(of: card) { return false }
        return sent == wanted && answered == "taken" && (transport != "stream" || isConnected == true)
    }

    /// The finding about a card that does not show a revision; nil where another diagnosis covers it or there is none.
    func finding(_ wanted: Revision, on phone: CustomerPhoneBody?, _ times: StoreTimes) -> Finding? {
        guard !shows(wanted, on: phone), !isBehind else { return nil }
        if state != "dismissed", state != "swiped", let explained = phone.flatMap({ explained(by: $0, times) }) {
            return explained
        }
        switch state {
        // Its end was shown, and its time was over.
        case "dismissed": return nil
        case "swiped":
            return Finding(
                note: "on \(named) the customer swiped it away",
                advice: "nothing: what was swiped away does not come back for this delivery")
        case "lost":
            return Finding(
                note: "\(named) never confirmed the card, or no longer exists",
                advice: "tell the customer to open the app")
        default: break
        }
        if reason == .scheduled, let scheduledAt {
            return Finding(
                note: "\(named) starts it at \(times.text(scheduledAt)) by itself, since its app has scheduled it")
        }
        if let reason, isOnScreen ? reason.isOfDevice : true {
            return Finding(note: "\(named) \(reason.clause)", advice: reason.advice)
        }
        guard isOnScreen else { return Finding(note: "\(named): \(state)\(why.map { ", \($0)" } ?? "")") }
        guard transport == "stream" else {
            return phone.flatMap { heldBack(by: $0, times) }
                ?? Finding(note: "\(named) is waiting for \(wanted.text)")
        }
        return away(wanted, times)
    }

    /// A finding from Apple's or the app's report, more specific than the card's reason; nil without such a report.
    func explained(by phone: CustomerPhoneBody, _ times: StoreTimes) -> Finding? {
        let push = phone.cards.first { $0.card == card }?.newestPush
        func finding(_ reason: String, of result: String?, _ clause: (String) -> String) -> Finding {
            let reason = PushReason(reason, of: result)
            return Finding(
                note: "\(named) \(clause(reason.sentence))",
                advice: self.reason == .appRefused ? CardReason.appRefused.advice : Advice(reason.advice))
        }
        switch (state, reason) {
        case (_, .halted?), (_, .appRefused?):
            if let circuit = phone.circuits.first {
                return finding(circuit.reason, of: "halted") {
                    "gets nothing since \(times.text(circuit.since)): \($0); next attempt at "
                        + times.text(circuit.nextTryAt, withSeconds: true)
                }
            }
            return push?.reason.map { finding($0, of: push?.result) { "gets nothing: \($0)" } }
        case ("lost", _), (_, .noStartToken?):
            guard push?.result == "gone", let reason = push?.reason else { return nil }
            return finding(reason, of: "gone") { "cannot get the push: \($0)" }
        case (_, .retrying?):
            return push?.reason.map {
                finding($0, of: push?.result) { "did not accept the push: \($0); it is sent again" }
            }
        case (_, .startBudget?):
            guard let next = phone.nextStartAt else { return nil }
            return Finding(
                note: "\(named) \(CardReason.startBudget.clause), until \(times.text(next))",
                advice: CardReason.startBudget.advice)
        case (_, .startFailed?):
            guard let failure = phone.startFailure else { return nil }
            return Finding(
                note: "\(named) could not show the card: \(StartFailureReason(failure.code).sentence)",
                advice: CardReason.startFailed.advice)
        default: return nil
        }
    }

    /// The finding for a card whose push Apple accepted, and whose phone does not show it.
    private func heldBack(by phone: CustomerPhoneBody, _ times: StoreTimes) -> Finding? {
        let frequent =
            phone.frequentPushesEnabled
            ? "" : "; and allows frequent updates for this app in Settings, so that it takes more"
        let advice: Advice =
            "tell the customer to open the app, which shows the present state whatever its card shows\(frequent)"
        if phone.holdsBack, let high = phone.lastHour?.high {
            return Finding(
                note:
                    "\(named) does not show every push (urgent pushes of the last hour: \(high.text)): iOS holds them "
                    + "back, since an app may change its cards only so often, or the device was offline",
                advice: advice)
        }
        guard phone.hasMissedNewest(of: card),
            let missedAt = phone.cards.first(where: { $0.card == card })?.newestPush?.missedAt
        else { return nil }
        return Finding(
            note: "\(named) had not received the newest push when its app checked at \(times.text(missedAt))",
            advice: advice)
    }

    /// The finding for a device with a closed stream: it shows its confirmed state, and the rest after a reconnect.
    private func away(_ wanted: Revision, _ times: StoreTimes) -> Finding {
        let knows = confirmed.map { "confirmed \($0.text), not yet \(wanted.text)" } ?? "has confirmed nothing yet"
        guard isConnected != true else {
            return Finding(
                note: "\(named) is connected and \(knows)",
                advice: "wait: every push was sent to it; if nothing changes, the customer closes and opens the app")
        }
        guard let seen = lastConnectedAt else {
            return Finding(
                note: "\(named) has not been connected since its card was made, and \(knows)",
                advice: "tell the customer to open the app: nothing reaches a device that never connects")
        }
        return Finding(
            note: "\(named) was last connected \(seen.ago(times.now)), at \(times.text(seen)), and \(knows)",
            advice: """
                wait: the phone is offline or its app is closed, and gets the newest state when it connects again; call the \
                customer about what cannot wait
                """)
    }

    /// Why it does not show the wanted state; nil for a code that is not known here.
    var reason: CardReason? { why.flatMap(CardReason.init) }
}
