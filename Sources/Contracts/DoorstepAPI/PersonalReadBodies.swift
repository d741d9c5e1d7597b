public import Foundation

/// A page of the access log, newest first: which operators and stores read personal data.
public struct PersonalReadsBody: Codable, Hashable, Sendable {
    public let reads: [PersonalReadBody]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?

    public init(reads: [PersonalReadBody], next: String?) {
        self.reads = reads
        self.next = next
    }
}

/// The reads of one object, or of one list, by one reader within an hour.
public struct PersonalReadBody: Codable, Hashable, Sendable {
    public let id: String
    /// Domain time of the first read.
    public let at: Date
    /// Domain time of the last read.
    public let lastAt: Date
    /// `operator` or `store`.
    public let role: String
    /// The reader's recorded name: `ada`, or `Ada Lovelace (oidc:login.example.com#u1)`.
    public let by: String
    /// The only store of the reader's token; nil for the whole shop.
    public let store: String?
    /// The operationId of the route, or a page of the desk such as `page now`.
    public let operation: String
    /// The kind of data, one of ``PersonalDataKind`` of this or a later version.
    public let kind: String
    /// The ids of customers in the answers.
    public let customers: [String]
    /// The ids of deliveries in the answers.
    public let deliveries: [String]
    /// The ids of couriers in the answers.
    public let couriers: [String]
    /// The number of reads.
    public let reads: Int
    /// The objects of all answers together.
    public let objects: Int
    /// The trace of the first read, as in the log; nil without one.
    public let traceID: String?

    public init(
        id: String, at: Date, lastAt: Date, role: String, by: String, store: String?, operation: String, kind: String,
        customers: [String], deliveries: [String], couriers: [String], reads: Int, objects: Int, traceID: String?
    ) {
        self.id = id
        self.at = at
        self.lastAt = lastAt
        self.role = role
        self.by = by
        self.store = store
        self.operation = operation
        self.kind = kind
        self.customers = customers
        self.deliveries = deliveries
        self.couriers = couriers
        self.reads = reads
        self.objects = objects
        self.traceID = traceID
    }
}

/// The kinds of personal data in the access log; each operation has one.
public enum PersonalDataKind: String, Codable, CaseIterable, Sendable {
    /// Orders and deliveries with recipient and address.
    case dropOff = "drop_off"
    case timeline
    /// Numbers to call.
    case contact
    /// Photos and signatures.
    case image
    case estimate
    /// Couriers' names.
    case courier
    /// Couriers' positions and trips.
    case position
    /// Couriers' phones.
    case phone
    case duty
    /// Customers' devices.
    case device
    /// Cards and pushes.
    case card
    /// Messages from providers.
    case receipt
    /// Providers' references of deliveries.
    case reference
    /// Events for the shop's systems.
    case event
    case deadLetter = "dead_letter"
    /// Requests about persons, with exports.
    case personRequest = "person_request"
    /// The access log itself.
    case personalReads = "personal_reads"
}
