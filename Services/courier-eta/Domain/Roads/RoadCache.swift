import ArrivalEstimate
import Foundation
import OrderDomain

/// A cache of an engine's answers, by pairs of cells of about 100 m.
///
/// Bounded by two generations: when the newer one is full, the older one is evicted. A hit moves to the newer one.
struct RoadCache: Sendable {
    typealias Moment = ContinuousClock.Instant

    static let cellMetres = 100.0
    /// Answers in both generations together, at most; some 100 bytes each.
    static let entriesMax = 40_000
    /// Roads change seldom, but they do.
    static let timeToLive = Duration.seconds(24 * 3_600)

    struct Key: Hashable, Sendable {
        let mode: TravelMode
        let from: Cell
        let to: Cell

        init(from: Coordinate, to: Coordinate, by mode: TravelMode) {
            self.mode = mode
            self.from = Cell(from)
            self.to = Cell(to)
        }
    }

    /// A piece of the earth about 100 m wide and high.
    struct Cell: Hashable, Sendable {
        private let row: Int32
        private let column: Int32

        init(_ place: Coordinate) {
            let metres = Coordinate.degreeMetres
            let north = (place.latitude * metres / RoadCache.cellMetres).rounded(.down)
            // A row's cells are as wide at its whole length, so that a place is in one cell only.
            let width = max(cos((north + 0.5) * RoadCache.cellMetres / metres * .pi / 180), 0.01)
            row = Int32(north)
            column = Int32((place.longitude * metres * width / RoadCache.cellMetres).rounded(.down))
        }
    }

    private struct Entry {
        let share: Double
        let until: Moment
    }

    private let generationMax: Int
    private var newer: [Key: Entry] = [:]
    private var older: [Key: Entry] = [:]

    init(entriesMax: Int = entriesMax) { generationMax = max(1, entriesMax / 2) }

    var count: Int { newer.count + older.count }

    /// The road's length as a multiple of the usual one; nil where it is not cached, or expired.
    mutating func share(_ key: Key, at now: Moment) -> Double? {
        guard let entry = newer[key] ?? older[key] else { return nil }
        guard now < entry.until else {
            newer[key] = nil
            older[key] = nil
            return nil
        }
        if newer[key] == nil { store(entry, for: key) }
        return entry.share
    }

    /// - Parameter share: 1 where the engine has no better answer.
    mutating func store(_ share: Double, for key: Key, at now: Moment) {
        store(Entry(share: share, until: now.advanced(by: Self.timeToLive)), for: key)
    }

    private mutating func store(_ entry: Entry, for key: Key) {
        older[key] = nil
        if newer.count >= generationMax, newer[key] == nil {
            older = newer
            newer = [:]
        }
        newer[key] = entry
    }
}
