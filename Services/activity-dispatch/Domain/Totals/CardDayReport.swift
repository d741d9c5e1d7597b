import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain

/// The report of one day, made of stored rows.
struct CardDayReport {
    private let day: ReportDay
    private let now: Date
    private let rows: [CardTotalsRow]

    /// - Parameter rows: rows of ``dates(of:now:)``, of which those of the day are reported.
    init(_ day: ReportDay, _ rows: [CardTotalsRow], now: Date) {
        self.day = day
        self.now = now
        self.rows = rows.filter { row in
            row.key.day == day.localDay(in: TimeZone(identifier: row.timeZone) ?? .gmt, now: now).date
        }
    }

    /// The first and the last zone in which a day begins, and the one between.
    private static let zones = ["Pacific/Kiritimati", "GMT", "Etc/GMT+12"].compactMap(TimeZone.init(identifier:))

    /// The dates that a day has in any time zone.
    static func dates(of day: ReportDay, now: Date) -> [String] {
        Set(zones.map { day.localDay(in: $0, now: now).date }).sorted()
    }

    func body(_ progress: TotalsSchedule) -> CardReportBody {
        let stores = stores(progress)
        // A day without rows has no store whose midnight would end it.
        let lastEnd = Self.zones.map { day.localDay(in: $0, now: now).end }.max()
        let isFinal =
            stores.isEmpty ? lastEnd.map { $0 <= progress.finalUntil } ?? false : stores.allSatisfy(\.isFinal)
        return CardReportBody(
            day: day.rawValue, asOf: now, countedUntil: progress.countedUntil, isFinal: isFinal,
            figures: Self.figures(rows), stores: stores,
            versions: versions("app_version", \.appVersion) + versions("os_version", \.osVersion)
                + versions("transport", \.transport), groups: groups)
    }

    private func stores(_ progress: TotalsSchedule) -> [CardReportBody.StoreRow] {
        Dictionary(grouping: rows, by: \.key.store).compactMap { id, rows -> CardReportBody.StoreRow? in
            guard let store = StoreID(rawValue: id), let newest = rows.max(by: { $0.spanStart < $1.spanStart })
            else { return nil }
            return CardReportBody.StoreRow(
                store: store, name: newest.storeName, timeZone: newest.timeZone, date: newest.key.day,
                isFinal: end(of: newest) <= progress.finalUntil, figures: Self.figures(rows))
        }.sorted { ($0.name, $0.store) < ($1.name, $1.store) }
    }

    /// The end of the store's day.
    private func end(of row: CardTotalsRow) -> Date {
        day.localDay(in: TimeZone(identifier: row.timeZone) ?? .gmt, now: now).end
    }

    private func versions(
        _ kind: String, _ value: KeyPath<CardTotalsKey, String>
    ) -> [CardReportBody.VersionRow] {
        Dictionary(grouping: rows) { $0.key[keyPath: value] }.map { text, rows in
            CardReportBody.VersionRow(
                kind: kind, value: text.isEmpty ? nil : text, figures: Self.figures(rows))
        }.sorted { ($1.figures.deliveries, $0.value ?? "") < ($0.figures.deliveries, $1.value ?? "") }
    }

    private var groups: [CardReportBody.GroupRow] {
        struct Group: Hashable {
            let store: String
            let versions: [String]
        }
        let groups = Dictionary(grouping: rows) { row in
            Group(store: row.key.store, versions: [row.key.appVersion, row.key.osVersion, row.key.transport])
        }
        return groups.sorted {
            ($0.key.store, $0.key.versions.joined(separator: " "))
                < ($1.key.store, $1.key.versions.joined(separator: " "))
        }
        .compactMap { group, rows -> CardReportBody.GroupRow? in
            guard let store = StoreID(rawValue: group.store) else { return nil }
            let versions = group.versions.map { $0.isEmpty ? nil : $0 }
            return CardReportBody.GroupRow(
                store: store, appVersion: versions[0], osVersion: versions[1], transport: versions[2],
                figures: Self.figures(rows))
        }
    }

    private static func figures(_ rows: [CardTotalsRow]) -> CardReportBody.Figures {
        var totals = CardTotals()
        for row in rows { totals.add(row.totals) }
        let isPushed = rows.contains { $0.key.transport == Device.Transport.apns.rawValue }
        return totals.figures(isPushed: isPushed)
    }
}

extension CardTotals {
    /// - Parameter isPushed: whether any of the cards was pushed to Apple.
    func figures(isPushed: Bool) -> CardReportBody.Figures {
        CardReportBody.Figures(
            deliveries: self[.deliveries], deliveriesWithCard: self[.deliveriesWithCard],
            devices: .init(
                allowed: self[.devicesAllowed], notAsked: self[.devicesNotAsked], refused: self[.devicesRefused],
                switchedOff: self[.devicesSwitchedOff], disallowed: self[.devicesDisallowed]),
            started: self[.started], cards: self[.cards], swiped: self[.swiped],
            ends: .init(cards: self[.ends], onTime: self[.endsOnTime]),
            screen: .init(cards: self[.timedCards], minutes: self[.screenSeconds] / 60),
            starts: isPushed ? starts : nil, changes: isPushed ? changes : nil, late: isPushed ? late : nil)
    }

    private var starts: CardReportBody.Starts {
        let shown = startSeconds.count
        return .init(
            pushed: self[.starts], shown: shown, neverShown: self[.starts] - shown,
            p50Seconds: startSeconds.percentile(0.5).map { Int($0) },
            p90Seconds: startSeconds.percentile(0.9).map { Int($0) })
    }

    private var changes: CardReportBody.Changes {
        .init(
            pushed: self[.changes], shown: changeSeconds.count, within5Seconds: changeSeconds.count(within: 5),
            within30Seconds: changeSeconds.count(within: 30),
            p50Seconds: changeSeconds.percentile(0.5).map { Int($0) },
            p90Seconds: changeSeconds.percentile(0.9).map { Int($0) })
    }

    private var late: CardReportBody.Late {
        .init(
            throttle: self[.lateByThrottle], budget: self[.lateByBudget], offline: self[.lateOffline],
            noToken: self[.lateWithoutToken], other: self[.lateOtherwise])
    }
}
