import CardPresentation
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import LiveActivity
import TimePresentation

/// The screens of a delivery's phones at one moment, from ``ScreenReplay``, drawn as lines to print.
struct ShownAt {
    let lines: [String]

    /// - Parameters:
    ///   - at: domain time.
    ///   - now: domain time.
    init(_ activities: [ActivityBody], at: Date, words: Words, timeZone: TimeZone, now: Date) {
        let moment = StoreTimes(timeZone: timeZone, now: now).text(at, withSeconds: true)
        let replay = ScreenReplay(activities, at: at, timeZone: timeZone)
        let shownAt = Int(at.timeIntervalSince1970)
        let screens = replay.screens.flatMap { screen in
            ["\(screen.device) at \(moment)"]
                + screen.cards.flatMap { Self.drawing($0, words: words, now: shownAt) }
                + screen.notes.map { "  \($0)" } + [""]
        }
        lines = (screens + [replay.note].compactMap(\.self)).map(\.safeOnTerminal)
    }

    private static func drawing(_ shown: ScreenReplay.Card, words: Words, now: Int) -> [String] {
        let face = CardFace(shown.card, words: words, now: now, in: .terminal)
        return LockScreenDrawing(face: face, hasDigits: false).drawing.lines.map(\.text) + ["  \(shown.caption)"]
    }
}
