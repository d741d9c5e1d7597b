import DomainTime
import Foundation
import Messages
import OrderDomain

/// The totals of ended activities, folded slice by slice: its memory grows with stores and versions alone.
struct CardTotalsFold: Sendable {
    /// Versions of apps that are counted apart, of each store and day; cards of further versions count as `other`.
    ///
    /// An app sends its version as text, and a row for each text that anyone sends would be without a bound.
    static let appVersionsMax = 50

    private(set) var totals: [CardTotalsKey: CardTotals] = [:]
    /// The newest name and time zone of each store.
    private(set) var stores: [StoreID: EndedActivityFacts] = [:]
    private var appVersions: [CardTotalsKey: Set<String>] = [:]

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
            totals[key, default: CardTotals()].add(
                card.totals(of: pushes[card.id] ?? PushFacts(), endedAt: activity.endedAt))
            if devices.insert(card.device).inserted {
                totals[key, default: CardTotals()][card.permission.count] += 1
            }
        }
        let first = cards.first { $0.startedAt != nil }
        let key = first.map { row(of: $0, on: day) } ?? day
        totals[key, default: CardTotals()][.deliveries] += 1
        if first != nil { totals[key, default: CardTotals()][.deliveriesWithCard] += 1 }
    }

    private mutating func row(of card: CardFacts, on day: CardTotalsKey) -> CardTotalsKey {
        var key = day
        key.appVersion = card.appVersion ?? ""
        key.osVersion = card.osVersion ?? ""
        key.transport = card.transport.rawValue
        if !appVersions[day, default: []].contains(key.appVersion) {
            if appVersions[day, default: []].count < Self.appVersionsMax {
                appVersions[day, default: []].insert(key.appVersion)
            } else {
                key.appVersion = "other"
            }
        }
        return key
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
