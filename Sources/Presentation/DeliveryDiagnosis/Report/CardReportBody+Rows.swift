package import DoorstepAPI
internal import OrderDomain

extension CardReportBody {
    /// One row of the report's table.
    package struct Row: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Hashable, Sendable {
            case total, store
            case appVersion = "app_version"
            case osVersion = "os_version"
            case transport
            /// A store, version of an app, version of iOS and transport.
            case group
        }

        package let kind: Kind
        package let name: String
        /// The store's id; empty for rows over all stores.
        package var store = ""
        package var date = ""
        package var timeZone = ""
        package var appVersion = ""
        package var osVersion = ""
        package var transport = ""
        /// A number for each of ``DoorstepAPI/CardReportBody/columns``; nil where nothing is recorded.
        package let numbers: [Int?]
    }

    /// The columns of numbers: the name for programs, and the title for people.
    package static let columns: [(name: String, title: String)] = [
        ("deliveries", "DELIVERIES"), ("deliveries_with_card", "WITH CARD"), ("devices_allowed", "ALLOWED"),
        ("devices_not_asked", "NOT ASKED"), ("devices_refused", "REFUSED"),
        ("devices_switched_off", "SWITCHED OFF"), ("devices_disallowed", "NOT ALLOWED"), ("started", "STARTED"),
        ("cards", "CARDS"),
        ("starts", "STARTS"), ("starts_shown", "STARTS SHOWN"), ("starts_never_shown", "NEVER"),
        ("start_p50_seconds", "START REPORTED P50 S"), ("start_p90_seconds", "START REPORTED P90 S"),
        ("changes", "CHANGES"),
        ("changes_shown", "CHANGES SHOWN"), ("changes_within_5_seconds", "REPORTED ≤ 5 S"),
        ("changes_within_30_seconds", "REPORTED ≤ 30 S"), ("late", "LATE"), ("late_throttle", "THROTTLE"),
        ("late_budget", "BUDGET"), ("late_offline", "OFFLINE"), ("late_no_token", "NO TOKEN"),
        ("late_other", "OTHER"), ("swiped", "SWIPED"), ("ends", "ENDS"), ("ends_on_time", "ON TIME"),
        ("screen_cards", "TIMED"), ("screen_minutes", "MINUTES"),
    ]

    /// The total, the stores, then the versions and transports.
    package var rows: [Row] {
        let total = Row(kind: .total, name: "total", numbers: figures.numbers)
        let storeRows = stores.map { store in
            Row(
                kind: .store, name: store.name, store: store.store.rawValue, date: store.date,
                timeZone: store.timeZone, numbers: store.figures.numbers)
        }
        return [total] + storeRows + versions.compactMap(\.row)
    }

    /// Each store with each version and transport.
    package var groupRows: [Row] {
        let names = Dictionary(stores.map { ($0.store, $0) }, uniquingKeysWith: { one, _ in one })
        return groups.map { group in
            let store = names[group.store]
            return Row(
                kind: .group, name: store?.name ?? group.store.rawValue, store: group.store.rawValue,
                date: store?.date ?? "", timeZone: store?.timeZone ?? "", appVersion: group.appVersion ?? "",
                osVersion: group.osVersion ?? "", transport: group.transport ?? "", numbers: group.figures.numbers)
        }
    }

    /// The day in words: `today, 2026-11-21 in Europe/Copenhagen`; of stores with several dates, each.
    package var dayText: String { DayReportBody.dayText(day, stores.map { "\($0.date) in \($0.timeZone)" }) }

    /// Whether a later report of an app may still change the day.
    package var isProvisional: Bool { !isFinal }
}

extension CardReportBody.VersionRow {
    /// Nil for a kind of a later version.
    fileprivate var row: CardReportBody.Row? {
        switch CardReportBody.Row.Kind(rawValue: kind) {
        case .appVersion:
            .init(
                kind: .appVersion, name: value.map { "app \($0)" } ?? "app of unknown version",
                appVersion: value ?? "", numbers: figures.numbers)
        case .osVersion:
            .init(
                kind: .osVersion, name: value.map { "iOS \($0)" } ?? "system of unknown version",
                osVersion: value ?? "", numbers: figures.numbers)
        case .transport:
            .init(
                kind: .transport, name: value.map { "by \($0)" } ?? "without a card", transport: value ?? "",
                numbers: figures.numbers)
        case .total, .store, .group, nil: nil
        }
    }
}

extension CardReportBody.Figures {
    fileprivate var numbers: [Int?] {
        [
            deliveries, deliveriesWithCard, devices.allowed, devices.notAsked, devices.refused, devices.switchedOff,
            devices.disallowed, started, cards, starts?.pushed, starts?.shown, starts?.neverShown, starts?.p50Seconds,
            starts?.p90Seconds, changes?.pushed, changes?.shown, changes?.within5Seconds, changes?.within30Seconds,
            late?.count, late?.throttle, late?.budget, late?.offline, late?.noToken, late?.other, swiped, ends.cards,
            ends.onTime, screen.cards, screen.minutes,
        ]
    }
}
