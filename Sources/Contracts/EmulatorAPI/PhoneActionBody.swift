package import PhoneRules

/// `POST /phones/{id}/actions` of `apns-emulator`: what happens to a phone.
package struct PhoneActionBody: ControlBody, Hashable {
    package enum Action: String, Codable, CaseIterable, Sendable {
        /// The system ends the app: the next start launches it.
        case killApp = "kill-app"
        /// The person ends the app: nothing launches it but to open it.
        case forceQuit = "force-quit"
        case launchApp = "launch-app"
        case goOffline = "go-offline"
        case goOnline = "go-online"
        case swipe
        /// The person taps a button of a card; with its verb.
        case tapButton = "tap-button"
        case switchActivitiesOff = "switch-activities-off"
        case switchActivitiesOn = "switch-activities-on"
        case switchFrequentUpdatesOff = "switch-frequent-updates-off"
        case switchFrequentUpdatesOn = "switch-frequent-updates-on"
        /// The person holds the island open, or lets it go.
        case holdIsland = "hold-island"
        case releaseIsland = "release-island"
        /// What else is in the island starts or is updated, which makes ours minimal, or ends; with its kind.
        case addOtherApp = "add-other-app"
        case removeOtherApp = "remove-other-app"
        case rotateStartToken = "rotate-start-token"
        case rotateUpdateToken = "rotate-update-token"
        case exhaustBudget = "exhaust-budget"
        case exhaustStartBudget = "exhaust-start-budget"
        case setClockSkew = "set-clock-skew"
    }

    package let action: Action
    /// With `swipe`, `tap-button` and `rotate-update-token`: which card, by its `Activity.id`; every live one where it is left out.
    package var instance: String?
    /// With `tap-button`, such as `leave-at-door`; a card without that button is left alone.
    package var verb: String?
    /// With a rotation: whether the former token is still answered 200 while nothing happens.
    package var deaf: Bool?
    /// With `set-clock-skew`.
    package var seconds: Int?
    /// With `add-other-app`, another app's where it is left out; with `remove-other-app`, everything where it is.
    package var kind: Phone.OtherApp.Kind?

    package enum CodingKeys: String, CodingKey, CaseIterable { case action, instance, verb, deaf, seconds, kind }

    package init(
        _ action: Action, instance: String? = nil, verb: String? = nil, kind: Phone.OtherApp.Kind? = nil
    ) {
        self.action = action
        self.instance = instance
        self.verb = verb
        self.kind = kind
    }
}
