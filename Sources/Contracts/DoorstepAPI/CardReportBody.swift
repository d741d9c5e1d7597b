public import Foundation
public import OrderDomain

/// The totals of one day's cards, in all, by store, by version, and for each of these together.
///
/// A delivery's cards count on the day of its store on which its end became known. There is no person, device or
/// delivery in it.
public struct CardReportBody: Codable, Sendable {
    /// The day of the request: `today`, `yesterday` or a date.
    public let day: String
    /// Domain time of the report.
    public let asOf: Date
    /// Domain time until which ended deliveries are counted.
    public let countedUntil: Date
    /// Whether the day is counted for good, of every store.
    public let isFinal: Bool
    public let figures: Figures
    /// The stores with a delivery whose end became known on the day, by their names.
    public let stores: [StoreRow]
    /// The versions of apps, the versions of iOS and the transports, each over all stores.
    public let versions: [VersionRow]
    /// Each store, version of an app, version of iOS and transport.
    public let groups: [GroupRow]

    public init(
        day: String, asOf: Date, countedUntil: Date, isFinal: Bool, figures: Figures, stores: [StoreRow],
        versions: [VersionRow], groups: [GroupRow]
    ) {
        self.day = day
        self.asOf = asOf
        self.countedUntil = countedUntil
        self.isFinal = isFinal
        self.figures = figures
        self.stores = stores
        self.versions = versions
        self.groups = groups
    }

    /// One store's day.
    public struct StoreRow: Codable, Sendable {
        public let store: StoreID
        public let name: String
        /// IANA name of the zone of the store's day.
        public let timeZone: String
        /// The day's date in that zone, such as `2026-11-21`.
        public let date: String
        /// Whether no later report of an app changes the day any more.
        public let isFinal: Bool
        public let figures: Figures

        public init(
            store: StoreID, name: String, timeZone: String, date: String, isFinal: Bool, figures: Figures
        ) {
            self.store = store
            self.name = name
            self.timeZone = timeZone
            self.date = date
            self.isFinal = isFinal
            self.figures = figures
        }
    }

    /// The cards of one version or transport.
    public struct VersionRow: Codable, Sendable {
        /// An open code: `app_version`, `os_version` or `transport`.
        public let kind: String
        /// Nil where the app sent none, and for deliveries without a card.
        public let value: String?
        public let figures: Figures

        public init(kind: String, value: String?, figures: Figures) {
            self.kind = kind
            self.value = value
            self.figures = figures
        }
    }

    /// The cards of one store, version of an app, version of iOS and transport.
    public struct GroupRow: Codable, Sendable {
        public let store: StoreID
        public let appVersion: String?
        public let osVersion: String?
        public let transport: String?
        public let figures: Figures

        public init(
            store: StoreID, appVersion: String?, osVersion: String?, transport: String?, figures: Figures
        ) {
            self.store = store
            self.appVersion = appVersion
            self.osVersion = osVersion
            self.transport = transport
            self.figures = figures
        }
    }
}
