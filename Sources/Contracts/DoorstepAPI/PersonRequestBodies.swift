public import Foundation
package import Messages
public import OrderDomain

/// The request body of `POST /v1/customers/{customer}/erase` and `POST /v1/couriers/{id}/erase`.
public struct ErasePersonBody: Codable, Hashable, Sendable {
    /// Whether a customer's live deliveries are ended first, or a courier's are handed back and a duty is ended.
    ///
    /// Without it they refuse the request.
    public var endLive: Bool?

    public init(endLive: Bool? = nil) { self.endLive = endLive }
}

/// A request to erase a person over all services, or to export their data: its progress, and its certificate or archive
/// once it is done.
public struct PersonRequestBody: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, CaseIterable, Sendable {
        case erase, export
    }

    /// The kind of person.
    public enum Person: String, Codable, CaseIterable, Sendable {
        case customer, courier
    }

    public enum State: String, Codable, CaseIterable, Sendable {
        case running, done
    }

    /// The erased rows of one service, or its exported records.
    public struct Service: Codable, Hashable, Sendable {
        public struct Table: Codable, Hashable, Sendable {
            /// Of an export the section of the archive.
            public let table: String
            /// Deleted rows, and rows in which a pseudonym replaced the person; of an export its records.
            public let rows: Int

            public init(table: String, rows: Int) {
                self.table = table
                self.rows = rows
            }
        }

        public let service: String
        public let isDone: Bool
        public let tables: [Table]
        /// Why it has not gone on; nil while it does.
        public let failure: String?

        public init(service: String, isDone: Bool, tables: [Table], failure: String? = nil) {
            self.service = service
            self.isDone = isDone
            self.tables = tables
            self.failure = failure
        }
    }

    /// A trace of the person that is left, and until when.
    public struct Expiry: Codable, Hashable, Sendable {
        public let what: String
        /// Domain time; nil where the installation decides.
        public let until: Date?

        public init(what: String, until: Date?) {
            self.what = what
            self.until = until
        }
    }

    /// A UUID in small letters.
    public let id: String
    public let kind: Kind
    public let state: State
    /// Nil from the version before, which has customers only.
    public let person: Person?
    /// Nil once an erasure is done, and for a courier.
    public let customer: CustomerID?
    /// Nil once the request is done, and for a customer.
    public let courier: CourierID?
    public let requestedBy: String
    public let requestedAt: Date
    public let finishedAt: Date?
    public let services: [Service]
    /// Nil while the request is running.
    public let expiries: [Expiry]?
    /// The path of the archive of an export that is done; nil for every other request.
    public let archive: String?

    public init(
        id: String, kind: Kind, state: State, person: Person = .customer, customer: CustomerID?,
        courier: CourierID? = nil, requestedBy: String, requestedAt: Date, finishedAt: Date?, services: [Service],
        expiries: [Expiry]?, archive: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.person = person
        self.customer = customer
        self.courier = courier
        self.requestedBy = requestedBy
        self.requestedAt = requestedAt
        self.finishedAt = finishedAt
        self.services = services
        self.expiries = expiries
        self.archive = archive
    }
}

extension RequestedPerson {
    /// The person's path at `orders`.
    package var path: String {
        switch self {
        case .customer(let id): "/v1/customers/\(id)"
        case .courier(let id): "/v1/couriers/\(id)"
        }
    }
}
