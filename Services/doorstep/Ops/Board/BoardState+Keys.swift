import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain

/// A key's effect outside of the screen.
enum BoardEffect: Sendable {
    case nothing
    case leave
    case interrupt
    /// Reads the list again.
    case read
    case readTimeline(DeliveryID)
    /// Reads the legal statuses, for a prompt.
    case readAllowed(BoardBody.Row)
    /// Checks a courier whom the list does not have, while the reason is asked for.
    case checkCourier(CourierID)
    case change(BoardChange)
    /// Reads the trip that results from a move, for a prompt.
    case planMove(BoardMove)
    case move(BoardMove, trip: TripPreviewBody)
    /// Undoes the last move, by these reverse ones.
    case undoMove([PlannedMove])

    /// Whether it changes deliveries.
    var isChange: Bool {
        switch self {
        case .change, .move, .undoMove: true
        case .nothing, .leave, .interrupt, .read, .readTimeline, .readAllowed, .checkCourier, .planMove: false
        }
    }

    /// Whether it waits for the changes before it: a plan of a move is of what they leave.
    var isInOrderOfChanges: Bool {
        if case .planMove = self { true } else { isChange }
    }
}

extension BoardState {
    /// Handles a key.
    mutating func press(_ key: Key, at elapsed: Duration) -> BoardEffect {
        noteKey(at: elapsed)
        if key == .interrupt { return .interrupt }
        if prompt != nil || key != .character("q") { hasAskedToLeave = false }
        let effect = prompt == nil ? pressOutsidePrompt(key) : pressInPrompt(key)
        if effect.isChange { changesLeft += 1 }
        return effect
    }

    private mutating func pressOutsidePrompt(_ key: Key) -> BoardEffect {
        notice = nil
        guard page != .keys else {
            page = .list
            return key == .character("q") ? leave() : .nothing
        }
        switch key {
        case .character("q"): return leave()
        case .character("?") where page == .list:
            page = .keys
            return .nothing
        case .character("a"):
            let couriers = couriers
            if !marked.isEmpty {
                prompt = BoardPrompt(.move(marked.sorted()), candidates: couriers)
                return .nothing
            }
            return ask { BoardPrompt(.assign, of: $0, candidates: couriers) }
        case .character("h"):
            return ask { BoardPrompt($0.flags.contains(.onHold) ? .release : .hold, of: $0) }
        case .character("s"):
            guard let row = selected else { return askToSelect() }
            return .readAllowed(row)
        default: break
        }
        if case .timeline(let delivery, let lines, let first) = page {
            return pressInTimeline(key, delivery, lines: lines, first: first)
        }
        return pressInList(key)
    }

    /// Leaves the board, after another question where changes wait or are being made.
    private mutating func leave() -> BoardEffect {
        guard changesLeft > 0, !hasAskedToLeave else { return .leave }
        hasAskedToLeave = true
        let changes = changesLeft == 1 ? "A change is" : "\(changesLeft) changes are"
        notice = "\(changes) being made; press q again to leave."
        return .nothing
    }

    private mutating func pressInList(_ key: Key) -> BoardEffect {
        switch key {
        case .down, .character("j"): moveSelection(by: 1)
        case .up, .character("k"): moveSelection(by: -1)
        case .pageDown: moveSelection(by: 10)
        case .pageUp: moveSelection(by: -10)
        case .enter, .character("w"):
            guard let row = selected else { return askToSelect() }
            page = .timeline(row.id, lines: [], first: 0)
            return .readTimeline(row.id)
        case .character("l"):
            query.isLate.toggle()
            return .read
        case .character("u"):
            query.isUnassigned.toggle()
            return .read
        case .character("/"): prompt = BoardPrompt(.search)
        case .character(" "), .character("c"), .character("z"): return pressForMove(key)
        case .escape: return withdrawInList()
        default: break
        }
        return .nothing
    }

    /// Clears the selection and the marks, or every filter where nothing is selected or marked.
    private mutating func withdrawInList() -> BoardEffect {
        guard selected == nil, marked.isEmpty else {
            select(nil)
            unmarkAll()
            return .nothing
        }
        guard !query.words.isEmpty else { return .nothing }
        query = BoardQuery(limit: query.limit)
        return .read
    }

    /// Marks the deliveries that an assignment moves together, or undoes the last move.
    private mutating func pressForMove(_ key: Key) -> BoardEffect {
        if key == .character("z") {
            guard !undo.isEmpty else {
                notice = "There is no move to undo."
                return .nothing
            }
            // A second key must not undo the undo, which waits or runs.
            defer { undo = [] }
            notice = "\(undo.count) back: moving …"
            return .undoMove(undo)
        }
        guard let row = selected else { return askToSelect() }
        if key == .character(" ") {
            toggleMark(of: row.id)
            moveSelection(by: 1)
        } else if let courier = row.courier {
            markAll(of: courier)
        } else {
            notice = "\(row.orderText) has no courier."
        }
        return .nothing
    }

    private mutating func pressInTimeline(
        _ key: Key, _ delivery: DeliveryID, lines: [String], first: Int
    ) -> BoardEffect {
        let step =
            switch key {
            case .down, .character("j"): 1
            case .up, .character("k"): -1
            case .pageDown, .character(" "): 15
            case .pageUp: -15
            default: 0
            }
        if step != 0 {
            page = .timeline(delivery, lines: lines, first: min(max(0, first + step), max(0, lines.count - 1)))
        }
        if key == .escape || key == .enter || key == .backspace {
            page = .list
            if selectedIndex == nil { select(nil) }
        }
        return .nothing
    }

    // MARK: Questions

    private mutating func askToSelect() -> BoardEffect {
        notice = rows.isEmpty ? "There is nothing here." : "Nothing is selected: ↓ selects the worst."
        return .nothing
    }

    private mutating func ask(_ question: (BoardBody.Row) -> BoardPrompt) -> BoardEffect {
        guard let row = selected else { return askToSelect() }
        prompt = question(row)
        return .nothing
    }

    /// Asks for one of the statuses that are possible now.
    mutating func askForStatus(of row: BoardBody.Row, allowed: [StatusCode]) {
        guard !allowed.isEmpty else {
            notice = "\(row.orderText): you may set no status of it; a supervisor reopens what has ended."
            return
        }
        guard prompt == nil else {
            notice = "\(row.orderText): press s again for its status."
            return
        }
        prompt = BoardPrompt(.setStatus(allowed: allowed), of: row, candidates: allowed.map(\.rawValue))
    }

    /// Asks whether marked deliveries are moved, with what results.
    mutating func askToMove(_ move: BoardMove, trip: TripPreviewBody) {
        guard prompt == nil else {
            notice = "Nothing was moved to \(move.courier): press a again."
            return
        }
        notice = nil
        prompt = BoardPrompt(.confirmMove(move, trip: trip))
    }

    /// Withdraws the question why an unknown courier is assigned; another question stays.
    mutating func withdraw(asking courier: CourierID) {
        guard let prompt, prompt.question == .reason, let answer = prompt.answers.last,
            self.courier(named: answer) == courier
        else { return }
        self.prompt = nil
    }

    /// Ids of the couriers of the list.
    private var couriers: [String] { Set(rows.compactMap { $0.courier?.rawValue }).sorted() }

    private mutating func pressInPrompt(_ key: Key) -> BoardEffect {
        switch key {
        case .character(let character): prompt?.text.append(character)
        case .backspace: _ = prompt?.text.popLast()
        case .tab: prompt?.complete()
        case .escape: withdraw()
        case .enter: return answer()
        default: break
        }
        return .nothing
    }

    private mutating func withdraw() {
        if prompt?.purpose != .search { notice = "Nothing was changed." }
        prompt = nil
    }

    private mutating func answer() -> BoardEffect {
        guard var prompt else { return .nothing }
        prompt.text = prompt.text.trimmed
        if prompt.purpose == .search {
            self.prompt = nil
            query.search = prompt.text.isEmpty ? nil : prompt.text
            select(nil)
            return .read
        }
        guard let fault = fault(of: prompt) else {
            let question = prompt.question
            let answers = prompt.answer()
            self.prompt = answers == nil ? prompt : nil
            let asked = question == .courier ? courier(named: prompt.answers.last ?? "") : nil
            if let asked, !rows.contains(where: { $0.courier == asked }) { return .checkCourier(asked) }
            if let answers, let effect = effectOfMove(prompt, answers) { return effect }
            guard let answers, let change = change(prompt, answers) else { return .nothing }
            notice = "\(change.row.orderText): asking …"
            return .change(change)
        }
        if prompt.text.isEmpty || prompt.question == .consent || prompt.question == .consentToMove {
            withdraw()
        } else {
            notice = fault
        }
        return .nothing
    }

    /// The effect of the last answer about marked deliveries; nil for a prompt about one delivery.
    private mutating func effectOfMove(_ prompt: BoardPrompt, _ answers: [String]) -> BoardEffect? {
        switch prompt.purpose {
        case .move(let deliveries):
            guard let courier = courier(named: answers[0]) else { return nil }
            notice = "\(deliveries.count) to \(courier): asking …"
            return .planMove(BoardMove(courier: courier, deliveries: deliveries, reason: answers[1]))
        case .confirmMove(let move, let trip):
            unmarkAll()
            // The next key to undo is about this move.
            undo = []
            notice = "\(move.deliveries.count) to \(move.courier): moving …"
            return .move(move, trip: trip)
        case .search, .assign, .hold, .release, .setStatus: return nil
        }
    }

    /// Why an answer is invalid; nil for a valid one.
    private func fault(of prompt: BoardPrompt) -> String? {
        let text = prompt.text
        switch prompt.question {
        case .search: return nil
        case .reason: return text.isEmpty ? "A reason is needed." : nil
        case .consent: return text.lowercased() == "yes" ? nil : "It was not ended."
        case .consentToMove: return text.lowercased() == "yes" ? nil : "Nothing was moved."
        case .courier: return courier(named: text) == nil ? "A courier's id is 1 to 64 letters, digits, - and _." : nil
        case .status:
            return prompt.candidates.contains(text) ? nil : "One of \(prompt.candidates.joined(separator: ", "))."
        }
    }

    /// A courier by name, where the list has one of that name, or else by id.
    private func courier(named text: String) -> CourierID? {
        let named = Set(rows.filter { $0.courierName?.lowercased() == text.lowercased() }.compactMap(\.courier))
        return named.count == 1 ? named.first : CourierID(rawValue: text)
    }

    private func change(_ prompt: BoardPrompt, _ answers: [String]) -> BoardChange? {
        guard let row = prompt.row else { return nil }
        switch prompt.purpose {
        case .search, .move, .confirmMove: return nil
        case .assign:
            return courier(named: answers[0]).map { BoardChange(kind: .assign($0), row: row, reason: answers[1]) }
        case .hold: return BoardChange(kind: .hold, row: row, reason: answers[0])
        case .release: return BoardChange(kind: .release, row: row, reason: answers[0])
        case .setStatus:
            return StatusCode(rawValue: answers[0]).map {
                BoardChange(kind: .setStatus($0), row: row, reason: answers[1])
            }
        }
    }
}

extension String {
    /// Without blanks around it.
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
