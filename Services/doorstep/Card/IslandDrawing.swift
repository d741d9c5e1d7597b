import CardPresentation
import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

/// The card in the Dynamic Island, in each of its presentations.
struct IslandDrawing {
    /// Columns of either side of the compact form: a wider side would cover the phone's clock.
    static let compactSideColumnsMax = 8
    static let columns = LockScreenDrawing.columns
    /// Columns for two times with their days; the line fills the rest of the row.
    private static let arrivalColumnsMax = 46

    let face: CardFace
    var answer: String?
    /// Whether the buttons carry their digits.
    var hasDigits = true
    /// The other app's content beside the camera where this card is detached, at most six columns.
    var other = "···"

    /// The expanded presentation: leading, trailing, centre and bottom.
    var expanded: Drawing {
        let inner = LockScreenDrawing.innerColumns
        let trailing = face.within ?? face.leaves ?? ""
        var rows = [
            Line.ends("\(face.glyph) \(face.store)", .strongKeyline, trailing, .strong, columns: inner),
            Line(face.headline.shortened(to: inner), .strong).centered(in: inner),
        ]
        if let who = face.courier ?? face.detail {
            rows.append(Line(who.shortened(to: inner), .quiet).centered(in: inner))
        }
        if let progress = face.progress, face.life != .ended {
            let arrival = Line((face.arrivalShort ?? "").shortened(to: Self.arrivalColumnsMax), .plain)
            let room = inner - (arrival.columns == 0 ? 0 : arrival.columns + 3)
            let line = ProgressLine(
                progress: progress, hasBegun: face.hasBegun, marker: face.marker, columns: room
            ).line
            rows.append(line + .spaces(inner - line.columns - arrival.columns) + arrival)
        }
        if let answer {
            rows += answer.wrapped(to: inner, linesMax: 2).map { Line($0, .strongKeyline) }
        } else if !face.buttons.isEmpty {
            rows.append(ButtonRow(buttons: face.buttons, hasDigits: hasDigits, columns: inner).line)
        }
        return .framed(rows, tint: face.tint, columns: Self.columns)
    }

    /// Both sides of the camera.
    var compact: Drawing {
        let inner = 38
        let camera = Line("(   ◉   )", .quiet)
        let leading = Line(compactLeading, .strongKeyline)
        let trailing = Line(compactTrailing, .strong)
        let left = (inner - camera.columns) / 2
        let row =
            leading + .spaces(left - leading.columns) + camera
            + .spaces(inner - left - camera.columns - trailing.columns) + trailing
        return Self.placed(.framed([row], tint: face.tint, columns: inner + 4))
    }

    /// The leading side in at most ``compactSideColumnsMax`` columns.
    var compactLeading: String {
        let both = "\(face.glyph) \(face.shortPhase)"
        let text = both.columns <= Self.compactSideColumnsMax ? both : face.shortPhase
        return text.shortened(to: Self.compactSideColumnsMax)
    }

    /// The trailing side in at most ``compactSideColumnsMax`` columns.
    var compactTrailing: String {
        (face.remainingShort ?? face.glyph).shortened(to: Self.compactSideColumnsMax)
    }

    /// The minimal card beside the camera, with another app's activity in the circle: the card is the newest.
    var minimalAttached: Drawing {
        minimal(
            beside: Line((face.remainingShortest ?? face.glyph).shortened(to: 6), .strong), circle: Line("···", .quiet))
    }

    /// The minimal card in the circle, with another app's activity, a call, music or a timer beside the camera.
    var minimalDetached: Drawing {
        minimal(beside: Line(other, .quiet), circle: Line(face.glyph, .strongKeyline))
    }

    private func minimal(beside: Line, circle: Line) -> Drawing {
        let row = Line("(   ◉   )", .quiet) + .spaces(8 - beside.columns) + beside
        let pill = Drawing.framed([row], tint: face.tint, columns: 21)
        let disc = Drawing.framed([circle.centered(in: 3)], tint: face.tint, columns: 7)
        let lines = zip(pill.lines, disc.lines).map { $0 + .spaces(2) + $1 }
        return Self.placed(Drawing(lines: lines, tint: face.tint))
    }

    /// Centres a drawing in the screen's width.
    private static func placed(_ drawing: Drawing) -> Drawing {
        Drawing(lines: drawing.lines.map { $0.centered(in: columns) }, tint: drawing.tint)
    }
}

extension Phone.OtherApp.Kind {
    /// Its name in the island, at most six columns.
    func islandText(in words: Words) -> String { self == .app ? "···" : words.texts("island.\(rawValue)") }
}
