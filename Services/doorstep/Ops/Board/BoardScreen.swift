import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

/// Draws the board's screen: a pure function from the board's state to rows of text.
///
/// Colours never carry meaning alone: each row has its risk in words, and a selected one begins with `>`.
struct BoardScreen {
    static let messageLinesMax = 4

    let hasColors: Bool

    /// Rows for a terminal of this size.
    func rows(_ state: BoardState, size: TerminalSize) -> [String] {
        let times = state.times
        let head = header(state, times, columns: size.columns)
        let foot = footer(state, columns: size.columns)
        let room = max(0, size.rows - head.count - foot.count)
        let body =
            switch state.page {
            case .list: list(state, times, columns: size.columns, rowsMax: room)
            case .timeline(_, let lines, let first): timeline(lines, first: first, columns: size.columns, rowsMax: room)
            case .keys: Array(BoardKeys.lines(columns: size.columns).prefix(room))
            }
        let blanks = Array(repeating: "", count: max(0, room - body.count))
        return Array((head + body.prefix(room) + blanks + foot).prefix(size.rows))
    }

    // MARK: Around the list

    private func header(_ state: BoardState, _ times: StoreTimes, columns: Int) -> [String] {
        let clock = times.text(state.now, withSeconds: true)
        var parts = ["\(clock) \(times.zoneName)", "worst first"] + state.query.words
        if let failure = state.failure {
            let since =
                state.readAt.map { "as of \(times.text($0, withSeconds: true))" } ?? "nothing read"
            parts = ["! \(since)", failure]
        }
        let text = parts.joined(separator: " · ").safeOnTerminal.shortened(to: columns)
        return [counts(state.board?.counts, columns: columns), state.failure == nil ? quiet(text) : paint(text, .late)]
    }

    private func counts(_ counts: BoardBody.Counts?, columns: Int) -> String {
        guard let counts else { return "Reading …" }
        let parts: [(text: String, ink: Ink?)] = [
            ("\(counts.live) live", nil), ("\(counts.late) late", counts.late > 0 ? .late : nil),
            ("\(counts.atRisk) at risk", counts.atRisk > 0 ? .atRisk : nil), ("\(counts.silent) silent", nil),
            ("\(counts.unassigned) to assign", nil), ("\(counts.waitingForCustomer) waiting", nil),
        ]
        let whole = parts.map(\.text).joined(separator: " · ")
        guard whole.columns <= columns else { return whole.shortened(to: columns) }
        return parts.map { part in part.ink.map { paint(part.text, $0) } ?? part.text }.joined(separator: " · ")
    }

    private func footer(_ state: BoardState, columns: Int) -> [String] {
        let message =
            state.prompt.map { lines($0, notice: state.notice, columns: columns) }
            ?? message(state).safeOnTerminal.wrapped(to: columns, linesMax: Self.messageLinesMax)
        return (message.isEmpty ? [""] : message) + [quiet(keys(state).shortened(to: columns))]
    }

    /// The line above the keys where nothing is asked: the result of the last key, or details of the selected delivery.
    private func message(_ state: BoardState) -> String {
        if let notice = state.notice { return notice }
        guard let row = state.selected else {
            return state.board?.next == nil ? "" : "Only the worst \(state.rows.count) are here: / finds any other."
        }
        let cards = row.cards.map { $0.behind > 0 ? "\($0.behind) of \($0.count) cards outdated" : "" } ?? ""
        let names = [row.orderText, row.customerText, row.street ?? "", row.id.rawValue]
        return (names + [row.flagsText, cards]).filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// A question in the lines that there are, which end with the typed text.
    ///
    /// Where it is longer, only candidates that begin with the typed text are left, and each part that may be long is
    /// shortened until the end fits.
    private func lines(_ prompt: BoardPrompt, notice: String?, columns: Int) -> [String] {
        func wrapped(_ candidates: [String], partColumnsMax: Int) -> [String] {
            text(prompt, candidates: candidates, notice: notice, partColumnsMax: partColumnsMax).safeOnTerminal
                .wrapped(to: columns, linesMax: .max)
        }
        let whole = wrapped(prompt.candidates, partColumnsMax: .max)
        guard whole.count > Self.messageLinesMax else { return whole }
        let fitting = prompt.candidates.filter { $0.lowercased().hasPrefix(prompt.text.lowercased()) }
        // The most columns of a part with which the question fits are between these.
        var (least, most) = (0, columns * Self.messageLinesMax)
        while least < most {
            let middle = (least + most + 1) / 2
            if wrapped(fitting, partColumnsMax: middle).count > Self.messageLinesMax {
                most = middle - 1
            } else {
                least = middle
            }
        }
        return Array(wrapped(fitting, partColumnsMax: least).suffix(Self.messageLinesMax))
    }

    /// - Parameter partColumnsMax: of each part that may be long: the notice, the candidates and the trip.
    private func text(
        _ prompt: BoardPrompt, candidates: [String], notice: String?, partColumnsMax: Int
    ) -> String {
        let name = prompt.row.map { "\($0.orderText) (\($0.customerText))" } ?? prompt.markedWords
        let candidates = candidates.joined(separator: ", ").shortened(to: partColumnsMax)
        let notice = notice?.shortened(to: partColumnsMax)
        let question =
            switch prompt.question {
            case .search: "Find"
            case .courier: "\(name): which courier?" + (candidates.isEmpty ? "" : " [\(candidates)]")
            case .status: "\(name): which status? [\(candidates)]"
            case .reason: "\(name): \(prompt.purposeWords), why?"
            case .consentToMove: "\(prompt.purposeWords.shortened(to: partColumnsMax)); type yes"
            case .consent: "\(name): this ends the delivery for its customer; type yes"
            }
        return "\(notice.map { $0 + " " } ?? "")\(question) \(prompt.text)_"
    }

    private func keys(_ state: BoardState) -> String {
        if state.prompt != nil { return "enter answers · tab completes · esc changes nothing" }
        if state.page == .list, !state.marked.isEmpty {
            return "\(state.marked.count) marked · space marks · c all of a courier · a give to a courier · esc unmarks"
        }
        let hold = state.selected?.flags.contains(.onHold) == true ? "h release" : "h hold"
        switch state.page {
        case .list:
            return "↑↓ move · enter why · a assign · \(hold) · s status · / find · ? keys · q quit"
        case .keys: return "any key closes this · q quit"
        case .timeline: return "↑↓ scroll · esc back · a assign · \(hold) · s status · q quit"
        }
    }

    // MARK: Pages

    private func list(_ state: BoardState, _ times: StoreTimes, columns: Int, rowsMax: Int) -> [String] {
        guard !state.rows.isEmpty else {
            guard state.board != nil else { return [] }
            let isFiltered = !state.query.words.isEmpty
            let text = isFiltered ? "No delivery matches the filters; esc clears them." : "Nothing is live."
            return ["", text.shortened(to: columns)]
        }
        let index = state.selectedIndex ?? 0
        // The worst are on top unless the person went below them.
        let first = max(0, index - (rowsMax - 2))
        let shown = state.rows.dropFirst(first).prefix(max(0, rowsMax - 1))
        let short = ShortIDs(state.rows.map(\.id))
        let cells = shown.map { Self.cells($0, times, short) }
        let layout = BoardColumns(cells, columns: columns)
        let lines = zip(shown, cells).map { row, cells in
            let isSelected = row.id == state.selected?.id
            let mark = isSelected ? ">" : state.marked.contains(row.id) ? "*" : " "
            let text = (mark + layout.text(cells)).shortened(to: columns)
            return paint(text, isSelected ? .selected(row.risk) : .init(row))
        }
        return [quiet((" " + layout.header).shortened(to: columns))] + lines
    }

    private static func cells(
        _ row: BoardBody.Row, _ times: StoreTimes, _ short: ShortIDs
    ) -> [BoardColumns.Column: String] {
        [
            .mark: row.mark, .late: row.lateText, .order: row.orderText, .customer: row.customerText,
            .status: row.screenStatus, .courier: row.courierText, .promised: times.window(row.promise),
            .expected: times.expected(row),
            .miss: row.missProbability.map { "\(Int((100 * $0).rounded())) %" } ?? "",
            .flags: row.flagsText,
            .cards: row.cards.map { $0.behind > 0 ? "\($0.behind) outdated" : "" } ?? "",
            .id: short.beginning(of: row.id),
        ].mapValues(\.safeOnTerminal)
    }

    private func timeline(_ lines: [String], first: Int, columns: Int, rowsMax: Int) -> [String] {
        guard !lines.isEmpty else { return ["", "Reading …"] }
        let wrapped = lines.map { $0.isEmpty ? [""] : $0.wrapped(to: columns, linesMax: 4) }
        return Array(wrapped.dropFirst(first).joined().prefix(rowsMax))
    }

    // MARK: Colours

    private enum Ink {
        case late, atRisk, flagged, ended, plain
        case selected(BoardBody.Risk)

        init(_ row: BoardBody.Row) {
            switch row.risk {
            case .late: self = .late
            case .atRisk: self = .atRisk
            case .onTime: self = row.flags.contains(where: \.isTrouble) ? .flagged : .plain
            case .ended: self = .ended
            }
        }

        /// The terminal's own sixteen colours, so that they are read on its background.
        var codes: String {
            switch self {
            case .late: "1;31"
            case .atRisk: "33"
            case .flagged: "36"
            case .ended: "2"
            case .plain: ""
            case .selected(.late): "7;1;31"
            case .selected(.atRisk): "7;33"
            case .selected(.onTime), .selected(.ended): "7"
            }
        }
    }

    private func paint(_ text: String, _ ink: Ink) -> String {
        guard hasColors, !ink.codes.isEmpty else { return text }
        return "\u{1B}[\(ink.codes)m\(text)\u{1B}[0m"
    }

    private func quiet(_ text: String) -> String { hasColors ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

extension BoardBody.Row {
    /// The status without the courier's where the row shows the courier, or their absence, already.
    fileprivate var screenStatus: String {
        switch courierStatus {
        case nil, .unassigned, .assigned: status.text
        case .toStore, .atStore: statusText
        }
    }
}

extension BoardPrompt {
    /// `7 marked`; empty where the prompt is about no marked deliveries.
    fileprivate var markedWords: String {
        switch purpose {
        case .move(let deliveries): "\(deliveries.count) marked"
        case .confirmMove(let move, _): "\(move.deliveries.count) marked"
        case .search, .assign, .hold, .release, .setStatus: ""
        }
    }

    fileprivate var purposeWords: String {
        switch purpose {
        case .search: "find"
        case .assign, .move: "assign to \(answers.first ?? "")"
        case .confirmMove(_, let trip): trip.summary
        case .hold: "put on hold"
        case .release: "release"
        case .setStatus: "set to \(answers.first ?? "")"
        }
    }
}

extension OrderDomain.Flag {
    /// Whether the risk needs an operator.
    fileprivate var isTrouble: Bool {
        switch self {
        case .onHold, .needsCustomer, .courierSilent, .reassigning, .disputed: true
        case .delayed, .rescheduled, .batched: false
        }
    }
}
