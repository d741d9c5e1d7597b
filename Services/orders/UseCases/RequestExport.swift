import BackgroundWork
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Accepts requests to export a customer's data over all services, and reads how far one is.
struct RequestExport: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    /// Seals archives; nil where none can be kept.
    let box: ArchiveBox?
    /// Wakes the work on requests.
    let signal: WakeSignal
    let makeUUID: @Sendable () -> UUID

    /// Why a customer's data are not exported.
    enum Refusal: Error, Hashable, Sendable {
        /// `pins.keys.file` is not set.
        case notConfigured
        /// The store has no delivery of the customer.
        case notFound(CustomerID)
        /// The customer's deliveries are being erased.
        case erased(CustomerID)
    }

    /// The archive's record about itself.
    struct Header: Encodable {
        let customer: CustomerID
        let store: StoreID?
        let requestedAt: Date
        /// IANA name of the newest delivery's store, of those of the request: a page shows times in it.
        let timeZone: String
    }

    /// Accepts a request, or returns the customer's running one, or the one that ended less than an hour ago.
    ///
    /// - Throws: ``Refusal``, or a database error.
    func callAsFunction(_ customer: CustomerID, by principal: Principal) async throws -> PersonExport {
        guard let box else { throw Refusal.notConfigured }
        let export = try await pool.withTransaction(retriesMax: 3) { transaction in
            // Other requests about the customer wait until the transaction ends.
            _ = try await OrderRepository.lockLive(of: customer, in: transaction)
            let now = clock.now
            let store = principal.scope.store
            let counts = try await ErasureRepository.counts(of: customer, at: store, on: transaction)
            guard store == nil || counts.ofStore > 0 else { throw Refusal.notFound(customer) }
            guard try await PersonRequestRepository.running(of: customer, on: transaction) == nil else {
                throw Refusal.erased(customer)
            }
            if let known = try await ExportRepository.newest(
                of: customer, for: store, endedAfter: now.addingTimeInterval(-PersonExport.repeatSeconds),
                on: transaction)
            {
                return known
            }
            let export = PersonExport(
                id: makeUUID(), customer: customer, store: store, requestedBy: principal.recordedName,
                requestedAt: now, finishedAt: nil)
            let header = Header(
                customer: customer, store: store, requestedAt: now,
                timeZone: try await ExportRecords.timeZone(of: customer, at: store, on: transaction))
            let record = String(decoding: try WireJSON.encode(header), as: UTF8.self)
            let sealed = try box.seal([record], in: .person, number: 1, of: export.id)
            try await transaction.batch([
                ExportRepository.insert(export),
                ExportRepository.insert(.init(number: 1, sealed: sealed), in: .person, of: export.id),
            ])
            return export
        }
        signal.wake()
        return export
    }

    /// The archive, and until when it is kept.
    static func expiries(after end: Date) -> [PersonRequestBody.Expiry] {
        let days = ExportRepository.archiveDays
        return [PersonRequestBody.Expiry(what: "the archive", until: end.addingTimeInterval(days * 86_400))]
    }

    /// An export that the principal may see; nil without one.
    func export(_ id: UUID, for principal: Principal) async throws -> PersonExport? {
        try await ExportRepository.export(id, on: pool).flatMap {
            principal.scope.store == nil || principal.scope.store == $0.store ? $0 : nil
        }
    }
}
