import DoorstepAPI
import Foundation
import OrderDomain

/// Every delivery that is live or has a disputed end at one moment, with operators' data about each.
struct Board: Sendable {
    /// A delivery on it.
    struct Entry: Sendable {
        let row: BoardBody.Row
        let triage: Triage
        let lane: Lane
        /// The board's revision at the entry's last change.
        let revision: Int
        /// Whether its snooze lasted when the lane was computed.
        var isSnoozed = false
        /// The board's revision at which an operator of this process changed its triage; 0 for one that was read.
        var triageSetAt = 0
    }

    /// A lane as a filter leaves it, worst first.
    struct LaneView: Sendable {
        let lane: Lane
        /// The number of all its deliveries, shown or not.
        let count: Int
        let entries: [Entry]
    }

    private(set) var entries: [DeliveryID: Entry] = [:]
    private(set) var asOf: Date
    /// The revision at which an entry came, changed or left last: a page of this or a later one has every row.
    private(set) var changedAt = 0

    /// An empty one.
    ///
    /// - Parameter asOf: domain time.
    init(asOf: Date) { self.asOf = asOf }

    /// Merges later rows; ended deliveries without a need leave the board, and so do requested ones that are missing.
    ///
    /// - Parameters:
    ///   - asked: the requested deliveries.
    ///   - triage: the triage read for them; a delivery without any keeps its present one.
    ///   - begun: the board's revision before the triage was read; what an operator has set since then stays.
    ///   - revision: of the resulting board.
    mutating func merge(
        _ rows: [BoardBody.Row], of asked: some Sequence<DeliveryID>, triage: [DeliveryID: Triage],
        readSince begun: Int = .max, asOf: Date, revision: Int
    ) {
        self.asOf = max(self.asOf, asOf)
        let found = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for id in asked {
            // An answer may be overtaken by a newer one.
            if let row = found[id], let former = entries[id], former.row.version > row.version { continue }
            guard let row = found[id], row.endedAt == nil || row.need != nil else {
                if entries.removeValue(forKey: id) != nil { changedAt = revision }
                continue
            }
            let former = entries[id]
            if let former, former.triageSetAt > begun || triage[id] == nil {
                set(row, former.triage, setAt: former.triageSetAt, revision: revision)
            } else {
                set(row, triage[id] ?? .none, setAt: 0, revision: revision)
            }
        }
    }

    /// Replaces the triage of a delivery, unless it has a newer one.
    mutating func set(_ triage: Triage, of id: DeliveryID, revision: Int) {
        guard let entry = entries[id], !triage.isOlder(than: entry.triage) else { return }
        set(entry.row, triage, setAt: revision, revision: revision)
    }

    private mutating func set(_ row: BoardBody.Row, _ triage: Triage, setAt: Int, revision: Int) {
        let lane = Lane(row, triage, at: asOf)
        let isSnoozed = triage.isSnoozed(at: asOf)
        let former = entries[row.id]
        let isSame =
            former.map {
                $0.lane == lane && $0.triage == triage && $0.isSnoozed == isSnoozed && $0.row.isShown(as: row)
            } ?? false
        if !isSame { changedAt = revision }
        entries[row.id] = Entry(
            row: row, triage: triage, lane: lane, revision: isSame ? former?.revision ?? revision : revision,
            isSnoozed: isSnoozed, triageSetAt: setAt)
    }

    /// A search's results, each as it is on the board where that is not older.
    func latest(_ found: [Entry]) -> [Entry] {
        found.map { result in
            guard let live = entries[result.row.id], live.row.version >= result.row.version,
                !live.triage.isOlder(than: result.triage)
            else { return result }
            return live
        }
    }

    /// The lanes after a filter, all of them unless it names one.
    ///
    /// - Parameter found: a search's results, live or not; nil without a search.
    func lanes(_ filter: BoardFilter, found: [Entry]? = nil) -> [LaneView] {
        let candidates = found ?? Array(entries.values)
        let grouped = Dictionary(grouping: candidates.filter { filter.includes($0.row, $0.triage) }, by: \.lane)
        return Lane.allCases.filter { filter.lane == nil || filter.lane == $0 }.map { lane in
            let all = (grouped[lane] ?? []).sorted { $0.row.isWorse(than: $1.row) }
            return LaneView(lane: lane, count: all.count, entries: Array(all.prefix(filter.rowsMax)))
        }
    }

    /// The number of deliveries per lane that match a filter, ignoring the filter's lane.
    func counts(_ filter: BoardFilter, found: [Entry]? = nil) -> [Lane: Int] {
        lanes(filter.replacing(lane: nil), found: found).reduce(into: [:]) { $0[$1.lane] = $1.count }
    }
}

extension BoardBody.Row {
    /// Whether nothing that the board shows of it is another.
    func isShown(as other: BoardBody.Row) -> Bool {
        version == other.version && need == other.need && risk == other.risk && lateMinutes == other.lateMinutes
            && missProbability == other.missProbability && flags == other.flags && estimate == other.estimate
            && cards?.count == other.cards?.count && cards?.behind == other.cards?.behind
            && cards?.reason == other.cards?.reason
    }

    /// The most urgent need first, then most minutes late, then the likeliest miss, then the first promise; the id
    /// decides between equals.
    ///
    /// An unknown probability counts as in `orders`: as one half, and as 0 at the door.
    func isWorse(than other: BoardBody.Row) -> Bool {
        func key(_ row: BoardBody.Row) -> (Int, Int, Int, Int, Double) {
            let rank = row.risk == .late ? 0 : row.risk == .atRisk ? 1 : row.risk == .onTime ? 2 : 3
            let missed = row.missProbability ?? (row.status == .atDoor ? 0 : 0.5)
            return (
                OperatorNeed.rank(row.need), rank, -(row.lateMinutes ?? 0), -Int((100 * missed).rounded()),
                row.promise.end.timeIntervalSince1970
            )
        }
        let (mine, others) = (key(self), key(other))
        return mine == others ? id.rawValue < other.id.rawValue : mine < others
    }
}
