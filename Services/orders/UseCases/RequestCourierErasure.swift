import BackgroundWork
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TextCoding

/// Accepts requests to erase a courier over all services.
struct RequestCourierErasure: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let change: ChangeDelivery
    /// Recognises a person whose id was erased; nil where no key is configured.
    let hash: KeyedHash?
    /// Asks `courier-eta` whether the courier is on duty.
    let ask: ErasureClient
    /// Wakes the work on requests.
    let signal: WakeSignal
    let makeUUID: @Sendable () -> UUID

    /// Why a courier is not erased.
    enum Refusal: Error, Hashable, Sendable {
        /// `erasures.key.file` is not set.
        case notConfigured
        /// The store knows no such courier.
        case notFound(CourierID)
        /// Other stores know the courier too, or no delivery of the store has had the courier.
        case otherStores(CourierID)
        case liveDeliveries(CourierID, [DeliveryID])
        /// The courier has the goods, which only another courier can get from them.
        case carriedDeliveries(CourierID, [DeliveryID])
        case onDuty(CourierID, until: Date)
        /// `courier-eta` does not answer whether the courier is on duty.
        case unanswered
    }

    /// The text whose hash recognises a courier; no customer's id is one.
    static func hashed(_ courier: CourierID) -> String { "courier/\(courier)" }

    /// Accepts a request, or returns the running one of the courier; the last one where nothing new is known of them.
    ///
    /// - Parameter endsLive: whether deliveries are handed back first, and a duty is ended.
    /// - Throws: ``Refusal``, also of a delivery that was picked up meanwhile, or a database error.
    func callAsFunction(
        _ courier: CourierID, by principal: Principal, endsLive: Bool
    ) async throws -> PersonRequest {
        guard let hash else { throw Refusal.notConfigured }
        if let running = try await running(of: courier, by: principal, on: pool) { return running }
        let counts = try await CourierErasureRepository.counts(of: courier, at: principal.scope.store, on: pool)
        // Read here, without locks: it reads every live delivery.
        let fetched = try await CourierErasureRepository.fetched(from: courier, on: pool)
        if counts.all > 0 || !fetched.isEmpty {
            try require(counts, fetched.map(\.store), of: courier, by: principal)
            let carried = (counts.carried + fetched.map(\.delivery)).sorted()
            guard carried.isEmpty else { throw Refusal.carriedDeliveries(courier, carried) }
            if endsLive { try await handBack(counts.assigned, of: courier, by: principal) }
        }
        // A repeat after the end shows the certificate, whether or not `courier-eta` answers.
        if counts.all == 0, fetched.isEmpty, let last = try await last(of: courier, by: principal, hash, on: pool) {
            return last
        }
        if !endsLive, counts.live.isEmpty, principal.scope.store == nil || counts.all > 0 {
            if let end = try await dutyEnd(of: courier) { throw Refusal.onDuty(courier, until: end) }
        }
        let live = counts.live
        let request = try await pool.withTransaction(retriesMax: 3) { transaction in
            try await CourierErasureRepository.lock(courier, in: transaction)
            if let running = try await running(of: courier, by: principal, on: transaction) { return running }
            let counts = try await CourierErasureRepository.counts(
                of: courier, at: principal.scope.store, on: transaction)
            if counts.all == 0, let last = try await last(of: courier, by: principal, hash, on: transaction) {
                return last
            }
            // Goods of the courier's live deliveries may have been given to another courier meanwhile.
            let fetched = try await CourierErasureRepository.fetched(from: courier, among: live, on: transaction)
            try require(counts, fetched.map(\.store), of: courier, by: principal)
            let carried = (counts.carried + fetched.map(\.delivery)).sorted()
            guard carried.isEmpty else { throw Refusal.carriedDeliveries(courier, carried) }
            guard counts.live.isEmpty else { throw Refusal.liveDeliveries(courier, counts.live) }
            return try await accept(courier, by: principal, hash: hash, in: transaction)
        }
        signal.wake()
        return request
    }

    private func accept(
        _ courier: CourierID, by principal: Principal, hash: KeyedHash, in transaction: PostgresTransaction
    ) async throws -> PersonRequest {
        let texts = try await CourierErasureRepository.texts(of: courier, by: change.personalData, on: transaction)
        let pseudonym = CourierID(pseudonym: makeUUID())
        guard let stored = CustomerID(rawValue: pseudonym.rawValue) else {
            preconditionFailure("an identifier of a courier is one of a customer")
        }
        var request = PersonRequest(
            id: makeUUID(), person: .courier, customer: nil,
            courier: ErasedCourier(
                id: courier, pseudonym: pseudonym, names: texts.names.sorted(), phones: texts.phones.sorted()),
            pseudonym: stored, store: principal.scope.store, requestedBy: principal.recordedName,
            requestedAt: clock.now, finishedAt: nil)
        try await transaction.batch([
            PersonRequestRepository.insert(request, hash: hash(Self.hashed(courier))),
            ExportRepository.delete(of: .courier(courier)),
        ])
        var rows = ErasedRows(in: transaction)
        let last = try await CourierErasureRepository.accept(request.id, of: courier, texts: texts, from: &rows)
        request.receipts.own.add(rows.counts)
        request.receipts.own.position = ContinueCourierErasure.Stage.timeline(after: 0, until: last).position
        try await transaction.execute(try PersonRequestRepository.set(request.receipts, of: request.id))
        return request
    }

    /// The last request about the courier where it answers a repeat.
    private func last(
        of courier: CourierID, by principal: Principal, _ hash: KeyedHash, on database: some PostgresExecutor
    ) async throws -> PersonRequest? {
        try await PersonRequestRepository.last(of: hash.all(Self.hashed(courier)), on: database)
            .flatMap { RequestErasure.isAnswer($0, to: principal, at: clock.now) ? $0 : nil }
    }

    // MARK: Conditions

    /// - Throws: ``Refusal`` where another made it; a store that does not know the courier does not learn of it.
    private func running(
        of courier: CourierID, by principal: Principal, on database: some PostgresExecutor
    ) async throws -> PersonRequest? {
        guard let running = try await PersonRequestRepository.running(of: courier, on: database) else { return nil }
        guard RequestErasure.sees(running, principal) else {
            let counts = try await CourierErasureRepository.counts(
                of: courier, at: principal.scope.store, on: database)
            try require(counts, [], of: courier, by: principal)
            throw Refusal.otherStores(courier)
        }
        return running
    }

    /// - Parameter others: the stores of deliveries that are to fetch goods from the courier.
    /// - Throws: ``Refusal`` where the courier is not the principal's alone; a description alone makes none a store's.
    private func require(
        _ counts: CourierErasureRepository.Counts, _ others: [StoreID], of courier: CourierID, by principal: Principal
    ) throws(Refusal) {
        guard let store = principal.scope.store else { return }
        guard counts.ofStore > 0 else { throw .notFound(courier) }
        guard counts.ofStore == counts.all, counts.deliveriesOfStore > 0, others.allSatisfy({ $0 == store }) else {
            throw .otherStores(courier)
        }
    }

    /// Unassigns the courier from deliveries whose goods are in their store.
    private func handBack(_ deliveries: [DeliveryID], of courier: CourierID, by principal: Principal) async throws {
        let outcomes = await change(
            deliveries.map { id in
                // A pickup of the last seconds counts: its goods are not in their store.
                ChangeDelivery.Request(delivery: id, principal: principal, overtakesPress: true) { delivery in
                    .courier(delivery.courier?.id == courier ? nil : delivery.courier, stopsBefore: nil)
                }
            })
        for (id, outcome) in zip(deliveries, outcomes) {
            do {
                _ = try outcome.get()
            } catch ChangeRefusal.tooLate {
                throw Refusal.carriedDeliveries(courier, [id])
            } catch ChangeDelivery.Refusal.notFound {
                // Its customer is being erased, or it was deleted: so it has ended.
            }
        }
    }

    private func dutyEnd(of courier: CourierID) async throws -> Date? {
        let question = CourierErasureRequest(
            request: makeUUID(), part: "",
            courier: ErasedCourier(id: courier, pseudonym: CourierID(pseudonym: makeUUID()), names: [], phones: []),
            deliveries: [], requestedAt: clock.now, isLast: false, keepsCourier: true, mayWait: false, isQuestion: true)
        // The refusal names the service that does not answer.
        guard let answer = try? await ask(.courierETA, .courier(question)) else { throw Refusal.unanswered }
        return answer.onDutyUntil
    }
}
