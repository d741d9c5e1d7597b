package import DoorstepAPI

extension CustomerPhoneBody {
    /// Whether pushes reach it through Apple: of a device with a stream there is nothing that Apple knows.
    package var isPushed: Bool { transport == "apns" }

    /// Urgent pushes that have to be missing in the last hour, and more than are known to have been shown, before the
    /// phone is said to hold them back: one or two may be lost for any reason.
    private static let missingMin = 3

    /// Whether the phone does not show what it is sent, as far as its app has told: its system has throttled it, or it was
    /// away for longer than the pushes are good for.
    var holdsBack: Bool {
        guard let high = lastHour?.high else { return false }
        return high.missing >= Self.missingMin && high.missing > high.shown
    }

    /// Whether the newest push to a card had not come when its app looked.
    func hasMissedNewest(of card: String) -> Bool {
        guard let push = cards.first(where: { $0.card == card })?.newestPush else { return false }
        return push.missedAt != nil && push.seenAt == nil
    }

    /// What it was sent in the last hour; nil where that is not measured.
    var lastHour: Measure? { measured.first { $0.hours == 1 } }
}

extension CustomerPhoneBody.Count {
    /// Such as `sent 12, shown at least 7, 3 had not come when the app looked, 2 unknown`.
    var text: String {
        let unknown = max(0, sent - shown - missing)
        let parts: [String?] = [
            "sent \(sent)", shown == sent ? "all shown" : shown > 0 ? "shown at least \(shown)" : nil,
            missing > 0 ? "\(missing) had not come when the app looked" : nil,
            unknown > 0 && shown < sent ? "\(unknown) not known" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
