import BackgroundWork
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TextCoding
import WireCoding

/// Accepts requests to export a person's data over all services, and reads how far one is.
struct RequestExport: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    /// Seals archives; nil where none can be kept.
    let box: ArchiveBox?
    /// Recognises a courier whose id was erased; nil where no key is configured, and so none was.
    let hash: KeyedHash?
    /// Wakes the work on requests.
    let signal: WakeSignal
    let makeUUID: @Sendable () -> UUID

    /// Why a person's data are not exported.
    enum Refusal: Error, Hashable, Sendable {
        /// `pins.keys.file` is not set.
        case notConfigured
        /// The store has no delivery of the person, nor a description of the courier.
        case notFound(RequestedPerson)
        /// The person is being erased.
        case erased(RequestedPerson)
    }

    /// The archive's record about itself.
    struct Header: Encodable {
        let customer: CustomerID?
        let courier: CourierID?
        let store: StoreID?
        let requestedAt: Date
        /// IANA name of the newest delivery's store, of those of the request: a page shows times in it.
        let timeZone: String
    }

    /// Accepts a request, or returns the person's running one, or the one that ended less than an hour ago.
    ///
    /// - Throws: ``Refusal``, or a database error.
    func callAsFunction(_ person: RequestedPerson, by principal: Principal) async throws -> PersonExport {
        guard let box else { throw Refusal.notConfigured }
        let export = try await pool.withTransaction(retriesMax: 3) { transaction in
            let now = clock.now
            let store = principal.scope.store
            try await require(person, at: store, in: transaction)
            if let known = try await ExportRepository.newest(
                of: person, for: store, endedAfter: now.addingTimeInterval(-PersonExport.repeatSeconds),
                on: transaction)
            {
                return known
            }
            let export = PersonExport(
                id: makeUUID(), person: person, store: store, requestedBy: principal.recordedName,
                requestedAt: now, since: try await erased(person, on: transaction), finishedAt: nil)
            let header = Header(
                customer: person.customer, courier: person.courier, store: store, requestedAt: now,
                timeZone: try await ExportRecords.timeZone(of: person, at: store, on: transaction))
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

    /// Makes other requests about the person wait until the transaction ends.
    ///
    /// - Throws: ``Refusal`` where the store does not know the person, or they are being erased.
    private func require(
        _ person: RequestedPerson, at store: StoreID?, in transaction: PostgresTransaction
    ) async throws {
        let (ofStore, erasure): (Int, PersonRequest?)
        switch person {
        case .customer(let id):
            _ = try await OrderRepository.lockLive(of: id, in: transaction)
            ofStore = try await ErasureRepository.counts(of: id, at: store, on: transaction).ofStore
            erasure = try await PersonRequestRepository.running(of: id, on: transaction)
        case .courier(let id):
            try await transaction.execute(CourierErasureRepository.lockRequests(about: id))
            ofStore = try await CourierErasureRepository.counts(of: id, at: store, on: transaction).ofStore
            erasure = try await PersonRequestRepository.running(of: id, on: transaction)
        }
        guard store == nil || ofStore > 0 else { throw Refusal.notFound(person) }
        guard erasure == nil else { throw Refusal.erased(person) }
    }

    /// When a courier with the id was erased last.
    private func erased(_ person: RequestedPerson, on transaction: PostgresTransaction) async throws -> Date? {
        guard case .courier(let id) = person, let hash else { return nil }
        return try await PersonRequestRepository.last(
            of: hash.all(RequestCourierErasure.hashed(id)), on: transaction)?.requestedAt
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
