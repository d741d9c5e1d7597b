package import DoorstepAPI

extension CustomerPhoneBody {
    /// Whether pushes reach it through Apple: of a device with a stream there is nothing that Apple knows.
    package var isPushed: Bool { transport == "apns" }

    /// The least number of urgent pushes missing in the last hour, and more than shown, for the finding that the phone
    /// holds pushes back: one or two may be lost for any reason.
    private static let missingMin = 3

    /// Whether, by its app's reports, the phone does not show its pushes: its system has throttled them, or the phone
    /// was offline beyond their expiry.
    var holdsBack: Bool {
        guard let high = lastHour?.high else { return false }
        return high.missing >= Self.missingMin && high.missing > high.shown
    }

    /// Whether the newest push to a card had not arrived when its app reported.
    func hasMissedNewest(of card: String) -> Bool {
        guard let push = cards.first(where: { $0.card == card })?.newestPush else { return false }
        return push.missedAt != nil && push.seenAt == nil
    }

    /// The pushes of the last hour; nil where they are not measured.
    var lastHour: Measure? { measured.first { $0.hours == 1 } }
}

extension CustomerPhoneBody.Count {
    /// A text such as `sent 12, shown at least 7, 3 had not arrived when the app checked, 2 unknown`.
    var text: String {
        let unknown = max(0, sent - shown - missing)
        let parts: [String?] = [
            "sent \(sent)", shown == sent ? "all shown" : shown > 0 ? "shown at least \(shown)" : nil,
            missing > 0 ? "\(missing) had not arrived when the app checked" : nil,
            unknown > 0 && shown < sent ? "\(unknown) unknown" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
