import BackgroundWork
import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import TextCoding

/// Accepts requests to erase a customer over all services, and reads what has been done of one.
struct RequestErasure: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let change: ChangeDelivery
    /// Recognises a person whose id was erased; nil where no key is configured.
    let hash: KeyedHash?
    /// Wakes the work on requests.
    let signal: WakeSignal
    /// Domain days for which this service keeps ended deliveries with a pseudonym.
    let ordersDays: Int
    let makeUUID: @Sendable () -> UUID

    /// Why a customer is not erased.
    enum Refusal: Error, Hashable, Sendable {
        /// `erasures.key.file` is not set.
        case notConfigured
        /// The store has no delivery of the customer.
        case notFound(CustomerID)
        /// Other stores have deliveries of the customer too.
        case otherStores(CustomerID)
        case liveDeliveries(CustomerID, count: Int)
    }

    /// Accepts a request, or returns the running one of the customer; the last one where nothing new is known of them.
    ///
    /// - Parameter endsLive: whether live deliveries are ended first.
    /// - Throws: ``Refusal``, or a database error.
    func callAsFunction(
        _ customer: CustomerID, by principal: Principal, endsLive: Bool
    ) async throws -> PersonRequest {
        guard let hash else { throw Refusal.notConfigured }
        if endsLive {
            // A repeat ends no order that was placed since.
            if let running = try await running(of: customer, by: principal, on: pool) { return running }
            let counts = try await ErasureRepository.counts(of: customer, at: principal.scope.store, on: pool)
            if counts.all > 0 {
                try require(counts, of: customer, by: principal)
                try await end(counts.live, by: principal)
            }
        }
        let request = try await pool.withTransaction(retriesMax: 3) { transaction in
            // Orders of the customer, and other requests, wait until the transaction ends.
            _ = try await OrderRepository.lockLive(of: customer, in: transaction)
            if let running = try await running(of: customer, by: principal, on: transaction) { return running }
            // Changes that are under way end first; later ones wait, and find the deliveries erased.
            try await transaction.execute(ErasureRepository.lock(customer))
            let counts = try await ErasureRepository.counts(of: customer, at: principal.scope.store, on: transaction)
            if counts.all == 0,
                let last = try await PersonRequestRepository.last(of: hash.all(customer.rawValue), on: transaction),
                Self.isAnswer(last, to: principal, at: clock.now)
            {
                return last
            }
            try require(counts, of: customer, by: principal)
            guard counts.live.isEmpty else { throw Refusal.liveDeliveries(customer, count: counts.live.count) }
            let request = PersonRequest(
                id: makeUUID(), customer: customer, pseudonym: pseudonym(), store: principal.scope.store,
                requestedBy: principal.recordedName, requestedAt: clock.now, finishedAt: nil)
            try await transaction.batch([
                PersonRequestRepository.insert(request, hash: hash(customer.rawValue)),
                ErasureRepository.freeze(customer, at: request.requestedAt),
                ExportRepository.delete(of: .customer(customer)),
            ])
            return request
        }
        signal.wake()
        return request
    }

    /// A request that the principal may see; nil without one.
    func request(_ id: UUID, for principal: Principal) async throws -> PersonRequest? {
        try await PersonRequestRepository.request(id, on: pool).flatMap { Self.sees($0, principal) ? $0 : nil }
    }

    /// Domain seconds after the end of a request for which a repeat by the whole shop returns it: later, services may
    /// know the customer again by a device alone.
    private static let repeatSeconds: TimeInterval = 60

    /// Traces of the person after the end of a request, each for as long as its service keeps it; nil before the end.
    func expiries(of request: PersonRequest) -> [PersonRequestBody.Expiry]? {
        guard let end = request.finishedAt else { return nil }
        func days(_ days: Double) -> Date { end.addingTimeInterval(days * 86_400) }
        /// A receipt of a service of before has no time: the default is its time.
        func days(of service: ErasingService, else fallback: Int) -> Date {
            days(Double(request.receipts[service].keptDays ?? fallback))
        }
        let streams = PersonRequestBody.Expiry(
            what: "messages in the broker's streams", until: days(Double(StreamDefinition.maxAgeHours) / 24))
        if request.person == .courier {
            return [
                streams,
                PersonRequestBody.Expiry(
                    what: "courier-eta: revoked phones with a pseudonym, without a label",
                    until: days(of: .courierETA, else: 30)),
                PersonRequestBody.Expiry(
                    what: "orders: the customers' deliveries with a pseudonym", until: days(Double(ordersDays))),
                PersonRequestBody.Expiry(
                    what: "orders: archives of customers, with the name of who delivered to them",
                    until: days(ExportRepository.archiveDays)),
                PersonRequestBody.Expiry(what: "logs and traces, which name couriers by their ids", until: nil),
                PersonRequestBody.Expiry(what: "back-ups; apply the list of erasures after a restore", until: nil),
                PersonRequestBody.Expiry(what: "what customers' phones and the shop's systems were sent", until: nil),
            ]
        }
        return [
            streams,
            PersonRequestBody.Expiry(
                what: "activity-dispatch: ended deliveries with a pseudonym",
                until: days(of: .activityDispatch, else: 14)),
            PersonRequestBody.Expiry(
                what: "courier-eta: ended deliveries with a pseudonym", until: days(of: .courierETA, else: 14)),
            PersonRequestBody.Expiry(
                what: "partners: providers' own names of deliveries, deliveries without a customer",
                until: days(of: .partners, else: 30)),
            PersonRequestBody.Expiry(
                what: "orders: ended deliveries with a pseudonym", until: days(Double(ordersDays))),
            PersonRequestBody.Expiry(
                what: "orders: archives of couriers, with their own words about deliveries",
                until: days(ExportRepository.archiveDays)),
            PersonRequestBody.Expiry(what: "logs, which name deliveries and no customers", until: nil),
            PersonRequestBody.Expiry(what: "back-ups; apply the list of erasures after a restore", until: nil),
            PersonRequestBody.Expiry(
                what: "what was sent to the shop's systems, to Apple and to push services", until: nil),
        ]
    }

    static func sees(_ request: PersonRequest, _ principal: Principal) -> Bool {
        principal.scope.store == nil || principal.scope.store == request.store
    }

    /// Whether the person's last request answers a repeat, where no delivery of theirs is known.
    ///
    /// A store without one may make no other.
    static func isAnswer(_ last: PersonRequest, to principal: Principal, at now: Date) -> Bool {
        guard sees(last, principal), let end = last.finishedAt else { return false }
        return principal.scope.store != nil || now < end.addingTimeInterval(Self.repeatSeconds)
    }

    /// The running request of the customer.
    ///
    /// - Throws: ``Refusal`` where another made it; a store with no delivery of the customer does not learn of it.
    private func running(
        of customer: CustomerID, by principal: Principal, on database: some PostgresExecutor
    ) async throws -> PersonRequest? {
        guard let running = try await PersonRequestRepository.running(of: customer, on: database) else { return nil }
        guard Self.sees(running, principal) else {
            let counts = try await ErasureRepository.counts(of: customer, at: principal.scope.store, on: database)
            try require(counts, of: customer, by: principal)
            throw Refusal.otherStores(customer)
        }
        return running
    }

    /// - Throws: ``Refusal`` where the customer is not the principal's alone.
    private func require(
        _ counts: ErasureRepository.Counts, of customer: CustomerID, by principal: Principal
    ) throws(Refusal) {
        guard principal.scope.store != nil else { return }
        guard counts.ofStore > 0 else { throw .notFound(customer) }
        guard counts.ofStore == counts.all else { throw .otherStores(customer) }
    }

    /// Ends live deliveries: cancelled in the store, failed once they were picked up.
    ///
    /// A waiting press counts first, since the courier's page has acknowledged it: it decides where the goods are.
    private func end(_ deliveries: [DeliveryID], by principal: Principal) async throws {
        guard !deliveries.isEmpty else { return }
        let outcomes = try await pool.withTransaction(retriesMax: 3) { transaction in
            _ = try await OrderRepository.lockedDeliveries(deliveries, opening: nil, in: transaction)
            for press in try await CourierPressRepository.waiting(of: deliveries, on: transaction) {
                _ = try await change.execute(press, in: transaction)
            }
            return try await change(deliveries, by: principal, in: transaction) { delivery in
                let end: StatusCode =
                    switch delivery.status {
                    case .preparing: .cancelled
                    case .handedOver: .failed
                    }
                // One that has ended meanwhile stays as it is, which needs no explanation.
                let isEnded = delivery.status.isEnded
                return .override(
                    isEnded ? delivery.status.code : end, reason: "the customer is erased",
                    notice: isEnded ? CustomerNotice() : CustomerNotice(reason: .customerRequest))
            }
        }
        change.wake()
        for outcome in outcomes {
            do {
                _ = try outcome.get()
            } catch ChangeDelivery.Refusal.notFound {
                // Another request has ended it meanwhile, which the transaction below finds.
            }
        }
    }

    private func pseudonym() -> CustomerID {
        guard let id = CustomerID(rawValue: "erased-\(makeUUID().uuidString.lowercased())") else {
            preconditionFailure("a word and a UUID are an identifier")
        }
        return id
    }
}
