import DomainTime
import Foundation
import Messages
import OrderDomain

/// The totals of ended activities, folded slice by slice: its memory grows with stores and versions alone.
struct CardTotalsFold: Sendable {
    /// Versions of apps that are counted apart, of each store and day: those with the most cards.
    ///
    /// Cards of others count as `other`. An app sends its version as text, and a row for each text that anyone sends would
    /// be without a bound.
    static let appVersionsMax = 50
    /// The same of iOS.
    static let osVersionsMax = 30
    /// Versions of each kind that are kept until they are ranked.
    static let rankedMax = 1_000
    static let other = "other"

    private var folded: [CardTotalsKey: CardTotals] = [:]
    /// The newest name and time zone of each store.
    private(set) var stores: [StoreID: EndedActivityFacts] = [:]
    /// Cards by version, of each store and day.
    private var appVersions: [CardTotalsKey: [String: Int]] = [:]
    private var osVersions: [CardTotalsKey: [String: Int]] = [:]

    /// The rows, with the most frequent versions apart.
    var totals: [CardTotalsKey: CardTotals] {
        let apps = appVersions.mapValues { Self.largest(Self.appVersionsMax, of: $0) }
        let systems = osVersions.mapValues { Self.largest(Self.osVersionsMax, of: $0) }
        return folded.reduce(into: [:]) { totals, row in
            var key = row.key
            let day = CardTotalsKey(store: key.store, day: key.day)
            if apps[day]?.contains(key.appVersion) == false { key.appVersion = Self.other }
            if systems[day]?.contains(key.osVersion) == false { key.osVersion = Self.other }
            totals[key, default: CardTotals()].add(row.value)
        }
    }

    /// The names with the most cards, and the empty one of unknown versions.
    private static func largest(_ max: Int, of cards: [String: Int]) -> Set<String> {
        let named = cards.filter { !$0.key.isEmpty && $0.key != other }
        let ranked = named.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Set(ranked.prefix(max).map(\.key)).union([""])
    }

    /// Adds activities with all of their cards, oldest first, and the pushes of each card.
    mutating func add(
        _ activities: [EndedActivityFacts], _ cards: [CardFacts], _ pushes: [UUID: PushFacts]
    ) {
        let cards = Dictionary(grouping: cards, by: \.activity)
        for activity in activities {
            if stores[activity.store].map({ $0.endedAt <= activity.endedAt }) ?? true {
                stores[activity.store] = activity
            }
            add(activity, cards[activity.id] ?? [], pushes)
        }
    }

    private mutating func add(
        _ activity: EndedActivityFacts, _ cards: [CardFacts], _ pushes: [UUID: PushFacts]
    ) {
        let zone = TimeZone(identifier: activity.timeZone) ?? .gmt
        let day = CardTotalsKey(store: activity.store.rawValue, day: LocalDay.date(of: activity.endedAt, in: zone))
        var devices: Set<DeviceID> = []
        for card in cards {
            let key = row(of: card, on: day)
            folded[key, default: CardTotals()].add(
                card.totals(of: pushes[card.id] ?? PushFacts(), endedAt: activity.endedAt))
            if devices.insert(card.device).inserted {
                folded[key, default: CardTotals()][card.permission.count] += 1
            }
            appVersions[day, default: [:]][key.appVersion, default: 0] += 1
            osVersions[day, default: [:]][key.osVersion, default: 0] += 1
        }
        let first = cards.first { $0.isShown(pushes[$0.id] ?? PushFacts()) }
        let key = first.map { row(of: $0, on: day) } ?? day
        folded[key, default: CardTotals()][.deliveries] += 1
        if first != nil { folded[key, default: CardTotals()][.deliveriesWithCard] += 1 }
    }

    private func row(of card: CardFacts, on day: CardTotalsKey) -> CardTotalsKey {
        var key = day
        key.appVersion = Self.kept(Self.version(card.appVersion, partsMax: 4), among: appVersions[day])
        key.osVersion = Self.kept(Self.version(card.osVersion, partsMax: 2), among: osVersions[day])
        key.transport = card.transport.rawValue
        return key
    }

    private static func kept(_ version: String, among known: [String: Int]?) -> String {
        guard let known, known[version] == nil, known.count >= rankedMax else { return version }
        return other
    }

    /// The first parts of a version's numbers; empty without one, and `other` for any other text.
    static func version(_ text: String?, partsMax: Int) -> String {
        guard let text else { return "" }
        guard text.wholeMatch(of: /[0-9]{1,4}(\.[0-9]{1,4}){0,3}/) != nil else { return other }
        return text.split(separator: ".").prefix(partsMax).joined(separator: ".")
    }
}

extension Device.Permission {
    fileprivate var count: CardTotals.Count {
        switch self {
        case .allowed: .devicesAllowed
        case .notAsked: .devicesNotAsked
        case .refused: .devicesRefused
        case .switchedOff: .devicesSwitchedOff
        case .disallowed: .devicesDisallowed
        }
    }
}
