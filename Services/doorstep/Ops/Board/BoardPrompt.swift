import DoorstepAPI
import OrderDomain

/// A line in which a person answers the questions of one change, one after the other.
struct BoardPrompt: Sendable {
    enum Purpose: Hashable, Sendable {
        case search
        case assign, hold, release
        /// An assignment of all marked deliveries.
        case move([DeliveryID])
        /// - Parameter trip: the trip that results from the move.
        case confirmMove(BoardMove, trip: TripPreviewBody)
        /// - Parameter allowed: statuses that are possible now.
        case setStatus(allowed: [StatusCode])
    }

    enum Question: Hashable, Sendable {
        case search, courier, status, reason
        /// Whether it may end.
        case consent
        /// Whether the deliveries are moved as planned.
        case consentToMove
    }

    private(set) var purpose: Purpose
    /// The delivery to change, as it was at the key press; a change of a newer version is refused.
    let row: BoardBody.Row?
    /// Candidates for the answer, such as couriers; the tab key completes to one of these.
    let candidates: [String]
    private(set) var answers: [String] = []
    var text = ""

    init(_ purpose: Purpose, of row: BoardBody.Row? = nil, candidates: [String] = []) {
        self.purpose = purpose
        self.row = row
        self.candidates = candidates
    }

    private var questions: [Question] {
        switch purpose {
        case .search: [.search]
        case .assign, .move: [.courier, .reason]
        case .confirmMove: [.consentToMove]
        case .hold, .release: [.reason]
        case .setStatus: isEnd ? [.status, .reason, .consent] : [.status, .reason]
        }
    }

    private var isEnd: Bool {
        answers.first.flatMap(StatusCode.init).map { code in
            if case .tail(let tail) = code.region { tail.isEnd } else { false }
        } ?? false
    }

    var question: Question { questions[min(answers.count, questions.count - 1)] }

    /// The deliveries that are to be moved.
    var moved: [DeliveryID] {
        switch purpose {
        case .move(let deliveries): deliveries
        case .confirmMove(let move, _): move.deliveries
        case .search, .assign, .hold, .release, .setStatus: []
        }
    }

    /// The same question without these deliveries, with what is answered; nil where none would be moved, and where the
    /// trip is planned with one of them.
    func leavingOut(_ deliveries: Set<DeliveryID>) -> BoardPrompt? {
        guard !deliveries.isDisjoint(with: moved) else { return self }
        let left = moved.filter { !deliveries.contains($0) }
        guard case .move = purpose, !left.isEmpty else { return nil }
        var prompt = self
        prompt.purpose = .move(left)
        return prompt
    }

    /// Completes the text to the candidate that begins with it, where there is one only.
    mutating func complete() {
        guard question == .courier || question == .status else { return }
        let fitting = candidates.filter { $0.lowercased().hasPrefix(text.lowercased()) }
        if fitting.count == 1 { text = fitting[0] }
    }

    /// Stores the text as the answer to the question.
    ///
    /// - Returns: all answers after the last question; nil while there is another one.
    mutating func answer() -> [String]? {
        answers.append(text)
        text = ""
        return answers.count < questions.count ? nil : answers
    }
}

/// One requested change of a delivery on the board.
struct BoardChange: Sendable {
    enum Kind: Hashable, Sendable {
        case assign(CourierID)
        case hold, release
        case setStatus(StatusCode)
    }

    let kind: Kind
    /// The row that the person saw.
    let row: BoardBody.Row
    let reason: String

    /// The change in words: `put on hold`.
    var words: String {
        switch kind {
        case .assign(let courier): "assigned to \(courier)"
        case .hold: "put on hold"
        case .release: "released"
        case .setStatus(let code): "set to \(code.rawValue)"
        }
    }
}

/// A requested move of marked deliveries to a courier.
struct BoardMove: Hashable, Sendable {
    let courier: CourierID
    let deliveries: [DeliveryID]
    let reason: String
}
