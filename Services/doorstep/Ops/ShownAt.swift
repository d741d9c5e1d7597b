import CardPresentation
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import LiveActivity
import TimePresentation

/// What the phones of a delivery showed at one moment, as far as ``ScreenReplay`` knows it, drawn as lines to print.
struct ShownAt {
    let lines: [String]

    /// - Parameter at: domain time.
    init(_ activities: [ActivityBody], at: Date, words: Words, timeZone: TimeZone) {
        let replay = ScreenReplay(activities, at: at, timeZone: timeZone)
        let now = Int(at.timeIntervalSince1970)
        let screens = replay.screens.flatMap { screen in
            ["\(screen.device) at \(at.clock(in: timeZone, withSeconds: true))"]
                + screen.cards.flatMap { Self.drawing($0, words: words, now: now) }
                + screen.notes.map { "  \($0)" } + [""]
        }
        lines = (screens + [replay.note].compactMap(\.self)).map(\.safeOnTerminal)
    }

    private static func drawing(_ shown: ScreenReplay.Card, words: Words, now: Int) -> [String] {
        let face = CardFace(shown.card, words: words, now: now, in: .terminal)
        return LockScreenDrawing(face: face, hasDigits: false).drawing.lines.map(\.text) + ["  \(shown.caption)"]
    }
}
