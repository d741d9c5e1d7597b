import CardPresentation
import CommandOutput

/// The card on the Lock Screen.
struct LockScreenDrawing {
    /// Columns of every card with its frame; a terminal with fewer gets sentences instead.
    static let columns = 60
    /// Rows inside the frame, equivalent to the 160 points above which iOS crops a card.
    static let innerRowsMax = 8
    static let innerColumns = columns - 4
    /// Rows of a question to the customer.
    static let questionRowsMax = 2
    /// The most rows of details that an ended card has besides its headline.
    private static let endedDetailRowsMax = 3

    let face: CardFace
    /// A question, or the answer to the last press; it replaces the buttons.
    var answer: String?
    /// Whether this card's buttons are the ones that the digits press.
    var isSelected = false
    /// Whether the buttons carry their digits.
    var hasDigits = true
    /// The permission question under the first card of a new app.
    var question: String?

    var drawing: Drawing {
        .framed(rows, tint: face.tint, columns: Self.columns, isSelected: isSelected)
    }

    /// Rows inside the frame, at most ``innerRowsMax``.
    var rows: [Line] {
        var rows = [header] + headline + (face.pin.map { [Line($0, .strongKeyline)] } ?? [])
        switch face.life {
        case .live, .stale:
            rows += times
            if let progress = face.progress {
                let line = ProgressLine(
                    progress: progress, hasBegun: face.hasBegun, marker: face.marker, columns: Self.innerColumns)
                rows.append(line.line)
                if face.life == .live { rows.append(line.labels(face.steps)) }
            }
            let room = Self.innerRowsMax - rows.count - (question == nil ? 0 : 1)
            let detailRows = (face.detail ?? "").wrappedBetweenParts(
                to: Self.innerColumns, linesMax: max(0, min(2, room - footerRows)))
            rows += detailRows.map { Line($0) }
            rows += footer(linesMax: room - detailRows.count)
        case .ended:
            if let detail = face.detail, !isDetailBesideHeadline {
                let lines = detail.wrappedBetweenParts(to: Self.innerColumns, linesMax: Self.endedDetailRowsMax)
                rows += lines.map { Line($0) }
            }
            rows += endedFooter
        }
        if let question { rows.append(Line(question.shortened(to: Self.innerColumns), .strong)) }
        return rows
    }

    /// The arrival with the promise at its side, or above it where times with their days leave no room for both.
    private var times: [Line] {
        func line(_ text: String, _ style: Line.Style = .plain) -> Line {
            Line((text.prefix(1).uppercased() + text.dropFirst()).shortened(to: Self.innerColumns), style)
        }
        guard let arrival = face.arrival else { return face.promise.map { [line($0)] } ?? [] }
        guard let promise = face.promise else { return [line(arrival)] }
        guard arrival.columns + 2 + promise.columns > Self.innerColumns else {
            return [ends(arrival, .plain, promise, .quiet)]
        }
        return [line(arrival), line(promise, .quiet)]
    }

    private var header: Line {
        let summary = face.summary.shortened(to: 24)
        let room = Self.innerColumns - summary.columns - (summary.isEmpty ? 0 : 2)
        let name = storeAndReference(columns: room)
        return name + .spaces(Self.innerColumns - name.columns - summary.columns) + Line(summary, .quiet)
    }

    /// A long store's name is shortened before the order's number, which identifies the order.
    private func storeAndReference(columns: Int) -> Line {
        let rest = face.reference.isEmpty ? "" : face.store.isEmpty ? face.reference : " · \(face.reference)"
        let reference = rest.shortened(to: max(0, columns - min(face.store.columns, 8)))
        return Line(face.store.shortened(to: columns - reference.columns), .strongKeyline) + Line(reference, .quiet)
    }

    private var headline: [Line] {
        switch face.life {
        case .live:
            if let question = face.question {
                return question.wrapped(to: Self.innerColumns, linesMax: Self.questionRowsMax).map {
                    Line($0, .strong)
                }
            }
            return [ends(face.headline, .strong, face.within ?? "", .strongKeyline)]
        case .stale: return [ends("! \(face.headline)", .strong, "", .plain)]
        case .ended:
            let detail = isDetailBesideHeadline ? face.detail ?? "" : ""
            return [ends("\(face.glyph) \(face.headline)", .strong, detail, .plain)]
        }
    }

    /// An ended card is short: its detail is on the headline's row where both fit whole.
    private var isDetailBesideHeadline: Bool {
        face.headline.columns + 2 + (face.detail ?? "").columns + 2 <= Self.innerColumns
    }

    /// Rows that the footer needs at least.
    private var footerRows: Int {
        if let answer { return answerLines(answer, linesMax: 2).count }
        return face.buttons.isEmpty ? 0 : 1
    }

    /// The buttons, or the answer to the last press.
    private func footer(linesMax: Int) -> [Line] {
        guard linesMax > 0 else { return [] }
        if let answer { return answerLines(answer, linesMax: min(2, linesMax)) }
        return face.buttons.isEmpty ? [] : [buttonRow(columns: Self.innerColumns)]
    }

    private var endedFooter: [Line] {
        if let answer { return answerLines(answer, linesMax: 2) }
        let leaves = Line((face.leaves ?? "").shortened(to: Self.innerColumns), .quiet)
        let buttons = buttonRow(columns: Self.innerColumns - leaves.columns - 2)
        return [buttons + .spaces(Self.innerColumns - buttons.columns - leaves.columns) + leaves]
    }

    private func answerLines(_ answer: String, linesMax: Int) -> [Line] {
        answer.wrapped(to: Self.innerColumns, linesMax: linesMax).map { Line($0, .strongKeyline) }
    }

    private func buttonRow(columns: Int) -> Line {
        ButtonRow(buttons: face.buttons, hasDigits: hasDigits, columns: columns).line
    }

    private func ends(_ left: String, _ leftStyle: Line.Style, _ right: String, _ rightStyle: Line.Style) -> Line {
        .ends(left, leftStyle, right, rightStyle, columns: Self.innerColumns)
    }
}
