public import Foundation
public import OrderDomain

/// A list of an archive of a person's data, in the order of the archive.
///
/// A customer's archive has other lists than a courier's. `docs/privacy/export.schema.json` describes the records of
/// each.
public enum ArchiveSection: String, CaseIterable, Codable, Sendable {
    /// The archive's one record about itself.
    case person
    case orders, deliveries, timeline, presses, proofs
    case arrivals
    case devices, cards, pushes, alerts, overrides
    case events, reports, providerNames
    case notes
    case descriptions, rides, actions, courierPresses
    case positions, duties, phones, map
}

/// A person of a request to erase or to export.
public enum RequestedPerson: Hashable, Sendable, CustomStringConvertible {
    case customer(CustomerID)
    case courier(CourierID)

    /// The sections of the person's archive, in its order.
    public var sections: [ArchiveSection] {
        ArchiveSection.allCases.filter { $0 == .person || $0.isOfCouriers == isCourier }
    }

    private var isCourier: Bool {
        switch self {
        case .customer: false
        case .courier: true
        }
    }

    /// `customer mette`.
    public var description: String {
        switch self {
        case .customer(let id): "customer \(id)"
        case .courier(let id): "courier \(id)"
        }
    }
}

extension ArchiveSection {
    /// Whether couriers' archives have it, and no customer's; of the record about the archive neither.
    fileprivate var isOfCouriers: Bool {
        switch self {
        case .descriptions, .rides, .actions, .courierPresses, .positions, .duties, .phones, .map: true
        case .person, .orders, .deliveries, .timeline, .presses, .proofs, .arrivals, .devices, .cards, .pushes, .alerts,
            .overrides, .events, .reports, .providerNames, .notes:
            false
        }
    }
}

/// Asks a service for some of its records about a person.
///
/// `orders` repeats it until the service has answered; a service answers from its rows, and stores nothing.
public struct ExportRequest: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Deliveries of one part.
    public static let deliveriesMax = 50

    /// A delivery of the person.
    public struct Part: Codable, Hashable, Sendable {
        public let delivery: DeliveryID
        /// The number of its newest episode, from 1.
        public let episode: Int

        public init(delivery: DeliveryID, episode: Int) {
            self.delivery = delivery
            self.episode = episode
        }
    }

    public let schema: Int
    /// The person request.
    public let request: UUID
    /// Nil for a courier.
    public let customer: CustomerID?
    /// Nil for a customer.
    public let courier: CourierID?
    /// The store that asks, whose records are those of its deliveries; nil for the whole shop.
    public let store: StoreID?
    public let deliveries: [Part]
    /// Domain time of the last erasure of a courier with the id; what was done before is of another person.
    public let since: Date?
    /// Whether records that are of the person and of no delivery follow.
    public let isLast: Bool
    /// ``ExportChunk/next`` of the chunk before it; nil for the first chunk of a part.
    public let cursor: String?

    public init(
        request: UUID, person: RequestedPerson, store: StoreID?, deliveries: [Part], since: Date? = nil, isLast: Bool,
        cursor: String?
    ) {
        schema = Self.schema
        self.request = request
        switch person {
        case .customer(let id): (customer, courier) = (id, nil)
        case .courier(let id): (customer, courier) = (nil, id)
        }
        self.store = store
        self.deliveries = deliveries
        self.since = since
        self.isLast = isLast
        self.cursor = cursor
    }

    /// The deliveries' ids.
    public var deliveryIDs: [String] { deliveries.map(\.delivery.rawValue) }

    /// The person; nil where it names none, or two.
    public var person: RequestedPerson? {
        switch (customer, courier) {
        case (let customer?, nil): .customer(customer)
        case (nil, let courier?): .courier(courier)
        case (nil, nil), (_?, _?): nil
        }
    }

    /// Why a service refuses the request; nil for a readable one.
    public var fault: String? {
        guard person != nil else { return "it names neither one customer nor one courier" }
        guard deliveries.count <= Self.deliveriesMax else { return "it has more than \(Self.deliveriesMax) deliveries" }
        guard deliveries.allSatisfy({ (1...Self.episodesMax).contains($0.episode) }) else {
            return "an episode of it is none"
        }
        return nil
    }

    /// Episodes of one delivery: no delivery was reopened as often.
    private static let episodesMax = 1_000
}

/// The answer to an ``ExportRequest``: the next records of one section.
public struct ExportChunk: Codable, Hashable, Sendable {
    public static let schema = 1
    /// Bytes of a chunk's records before the last of them: far below the broker's 1 MB, also with the record that
    /// exceeds them and every character escaped.
    public static let bytesMax = 131_072
    /// Bytes of the longest text in a record; a longer one is omitted, and its record names that.
    public static let textBytesMax = 65_536

    public let schema: Int
    /// Nil for a chunk without records.
    public let section: ArchiveSection?
    /// JSON objects in the order of the archive, each without a line break.
    public let records: [String]
    /// Where the next chunk of the part begins; nil after the last one.
    public let next: String?
    /// Why there is no answer; nil where there is one.
    public let fault: String?

    public init(section: ArchiveSection?, records: [String], next: String?) {
        schema = Self.schema
        self.section = section
        self.records = records
        self.next = next
        fault = nil
    }

    /// A refusal.
    public init(fault: String) {
        schema = Self.schema
        section = nil
        records = []
        next = nil
        self.fault = fault
    }
}
