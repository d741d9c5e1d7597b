import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import TimePresentation

/// The state of the board's screen at one moment, and the effects of keys; see `BoardState+Keys.swift`.
///
/// A value without I/O: ``press(_:)`` returns reads and changes as effects.
struct BoardState: Sendable {
    /// Wall time without a key after which the selection is cleared, so that the worst is on top again.
    static let selectionTime = Duration.seconds(30)

    /// The view below the counts.
    enum Page: Hashable, Sendable {
        case list
        /// The merged timeline of a delivery; no lines while it is being read for the first time.
        case timeline(DeliveryID, lines: [String], first: Int)
        /// Every key with its effect.
        case keys
    }

    var query: BoardQuery
    /// The newest page that was read; nil before the first.
    var board: BoardBody?
    /// Domain time at which it was read.
    var readAt: Date?
    /// Why the newest read gave nothing; nil where it succeeded.
    var failure: String?
    var page = Page.list
    var prompt: BoardPrompt?
    /// The result of the last key.
    var notice: String?
    /// Domain time.
    var now: Date
    private(set) var selected: BoardBody.Row?
    /// The deliveries that the next assignment moves together.
    private(set) var marked: Set<DeliveryID> = []
    /// The reverse of the last move, delivery by delivery; empty without one.
    var undo: [PlannedMove] = []
    /// Requested changes that wait or are being made.
    var changesLeft = 0
    /// Whether the last key was to leave, and changes were left.
    var hasAskedToLeave = false
    private var timeZone = TimeZone.gmt
    private var lastKeyAt = Duration.zero

    init(query: BoardQuery, now: Date) {
        self.query = query
        self.now = now
    }

    var rows: [BoardBody.Row] { board?.deliveries ?? [] }

    /// The selected delivery's place in the list; nil where nothing is selected.
    var selectedIndex: Int? { selected.flatMap { one in rows.firstIndex { $0.id == one.id } } }

    /// The format of times: in the zone of the newest page that had rows.
    var times: StoreTimes { StoreTimes(rows, former: timeZone, now: now) }

    // MARK: Readings

    /// Shows a page that was read.
    ///
    /// The selection stays on its delivery wherever that moves.
    mutating func show(_ board: BoardBody, at now: Date) {
        let handedOver = Set(rows.filter { $0.handedOverAt != nil }.map(\.id))
        self.board = board
        self.now = now
        timeZone = times.timeZone
        readAt = now
        failure = nil
        marked.formIntersection(rows.map(\.id))
        // What its courier has handed over since stays with them, unless it is marked again.
        let moved = marked.union(prompt?.moved ?? [])
        let gone = rows.filter { moved.contains($0.id) && $0.handedOverAt != nil && !handedOver.contains($0.id) }
        marked.subtract(gone.map(\.id))
        prompt = prompt?.leavingOut(Set(gone.map(\.id)))
        let texts = Dictionary(grouping: gone) { $0.courierName ?? "its courier" }.sorted { $0.key < $1.key }
            .compactMap { $0.value.stayingText(with: $0.key).map { "\($0)." } }
        if !texts.isEmpty { notice = texts.joined(separator: " ") }
        guard let former = selected else { return }
        if let row = rows.first(where: { $0.id == former.id }) {
            selected = row
        } else if page == .list {
            selected = nil
            notice = (texts + ["\(former.orderText) has left this list."]).joined(separator: " ")
        }
    }

    mutating func fail(_ reason: String, at now: Date) {
        self.now = now
        failure = reason
    }

    /// Shows the lines of a requested timeline, unless another page is shown by now.
    mutating func show(_ lines: [String], of delivery: DeliveryID) {
        guard case .timeline(delivery, _, let first) = page else { return }
        page = .timeline(delivery, lines: lines, first: min(first, max(0, lines.count - 1)))
    }

    // MARK: Selection

    mutating func select(_ row: BoardBody.Row?) { selected = row }

    /// Moves the selection; the first move selects the worst.
    mutating func moveSelection(by count: Int) {
        guard !rows.isEmpty else { return }
        guard let index = selectedIndex else {
            selected = rows[0]
            return
        }
        selected = rows[min(max(0, index + count), rows.count - 1)]
    }

    /// Marks the delivery, or removes its mark.
    mutating func toggleMark(of delivery: DeliveryID) { marked.formSymmetricDifference([delivery]) }

    /// Marks all deliveries of a courier but those that the customer has by the courier's word, which it names.
    mutating func markAll(of courier: CourierID) {
        let live = rows.filter { $0.courier == courier && $0.endedAt == nil }
        marked.formUnion(live.filter { $0.handedOverAt == nil }.map(\.id))
        notice = live.stayingText(with: live.first?.courierName ?? courier.rawValue).map { "\($0)." }
    }

    mutating func unmarkAll() { marked = [] }

    mutating func noteKey(at elapsed: Duration) { lastKeyAt = elapsed }

    /// Advances the clock.
    mutating func tick(_ now: Date, at elapsed: Duration) {
        self.now = now
        if page == .list, prompt == nil, selected != nil, elapsed - lastKeyAt >= Self.selectionTime { selected = nil }
    }
}
