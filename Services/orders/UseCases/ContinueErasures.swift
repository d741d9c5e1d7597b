import DomainTime
import DoorstepAPI
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import WireCoding

/// Continues requests to erase persons: asks the other services part by part, and erases a customer's own rows last.
///
/// Every step is stored before the next one and may be repeated, so a request is finished once, however often its
/// process or a service is restarted meanwhile.
struct ContinueErasures: Sendable {
    /// Wall time for which a request is this replica's; longer than an answer may take.
    private static let lease = Duration.seconds(60)
    /// The pause before services are asked again whose cards are still to end.
    private static let cardsPause = Duration.seconds(1)
    /// The pause before a service is asked again that has not answered.
    private static let failurePause = Duration.seconds(5)
    /// Domain seconds since a service first waited for the ends of cards, after which they are erased as they are: Apple,
    /// or a phone, is away.
    private static let cardsSecondsMax: TimeInterval = 120
    /// Parts of a courier's own rows that are made before other requests are continued.
    private static let partsMax = 10
    /// Parts for which services are asked before other requests are continued.
    private static let askedMax = 100

    let pool: PostgresPool
    let clock: DomainClock
    let ask: ErasureClient
    let courierErasure: ContinueCourierErasure
    let logger: Logger
    let makeUUID: @Sendable () -> UUID

    /// Continues the requests that are due.
    ///
    /// - Returns: the wall time until the next one is due; nil without a running request.
    func callAsFunction() async throws -> Duration? {
        let token = makeUUID()
        while let request = try await PersonRequestRepository.lease(token, for: Self.lease, on: pool) {
            try await advance(request, by: token)
        }
        return try await RequestLease.erasures.nextDue(on: pool)
    }

    private func advance(_ request: PersonRequest, by token: UUID) async throws {
        do {
            if let customer = request.customer {
                let receipts = try await askServices(about: request, request.receipts, by: token) { receipt, mayWait in
                    try await part(of: customer, in: request, receipt, mayWait: mayWait)
                }
                guard let receipts else { return }
                try await advanceCustomer(customer, of: request, receipts, by: token)
            } else if request.courier != nil {
                try await advanceCourier(request, by: token)
            }
        } catch is LostLease {
            return
        } catch is PersonalDataBox.Unreadable {
            // The box has reported the row and the key. What is stored of the progress stays.
            var receipts = try await PersonRequestRepository.request(request.id, on: pool)?.receipts ?? request.receipts
            receipts.own.failure = "a number of the courier cannot be opened: its key is missing"
            try await pause(request, Self.failurePause, receipts, by: token)
        }
    }

    /// A part for a service, and the last delivery of it.
    private typealias Part = (request: PersonErasureRequest, last: String?, isLast: Bool)
    private typealias NextPart = (_ receipt: PersonRequest.Receipt, _ mayWait: Bool) async throws -> Part

    /// Asks every service for its remaining parts.
    ///
    /// - Returns: the receipts once they are complete; nil where the request is to be continued later.
    private func askServices(
        about request: PersonRequest, _ former: PersonRequest.Receipts, by token: UUID, next: NextPart
    ) async throws -> PersonRequest.Receipts? {
        var receipts = former
        var pause = Duration.zero
        var partsLeft = Self.askedMax
        for service in ErasingService.allCases where !receipts[service].isDone {
            switch try await erase(request, at: service, &receipts, &partsLeft, by: token, next: next) {
            case .done: continue
            // Other requests are continued meanwhile.
            case .paused: break
            case .isWaiting: pause = max(pause, Self.cardsPause)
            case .failed: pause = max(pause, Self.failurePause)
            case .isLost: return nil
            }
        }
        if receipts.areComplete { return receipts }
        _ = try await RequestLease.erasures.store(receipts, of: request.id, by: token, dueIn: pause, on: pool)
        return nil
    }

    private enum Progress {
        case done, paused, isWaiting, failed
        /// Another replica continues the request.
        case isLost
    }

    /// Asks a service for its remaining parts.
    private func erase(
        _ request: PersonRequest, at service: ErasingService, _ receipts: inout PersonRequest.Receipts,
        _ partsLeft: inout Int, by token: UUID, next: NextPart
    ) async throws -> Progress {
        while !receipts[service].isDone {
            guard partsLeft > 0 else { return .paused }
            partsLeft -= 1
            let mayWait =
                receipts[service].waitingSince.map { clock.now < $0.addingTimeInterval(Self.cardsSecondsMax) } ?? true
            let part = try await next(receipts[service], mayWait)
            let receipt: ErasureReceipt
            do { receipt = try await ask(service, part.request) } catch {
                if receipts[service].failure == nil {
                    logger.warning(
                        "A service does not erase a person yet; it is asked again",
                        metadata: [
                            "person_request_id": "\(request.id)", "service": "\(service.rawValue)",
                            "reason": "\(error)",
                        ])
                }
                receipts[service].failure = "no answer"
                return .failed
            }
            if receipt.isWaiting {
                receipts[service].wait(since: clock.now)
                return .isWaiting
            }
            receipts[service].add(receipt.rows)
            receipts[service].keptDays = receipt.keptDays ?? receipts[service].keptDays
            receipts[service].position = part.last ?? receipts[service].position
            receipts[service].isDone = part.isLast
            guard
                try await RequestLease.erasures.store(
                    receipts, of: request.id, by: token, dueIn: Self.lease, on: pool)
            else { return .isLost }
        }
        return .done
    }

    private func part(
        of customer: CustomerID, in request: PersonRequest, _ receipt: PersonRequest.Receipt, mayWait: Bool
    ) async throws -> Part {
        let deliveries = try await ErasureRepository.frozen(
            customer, after: receipt.position, limit: ErasureRequest.deliveriesMax, on: pool)
        let isLast = deliveries.count < ErasureRequest.deliveriesMax
        let last = deliveries.last?.id.rawValue
        // With its end: where a delivery is gone since, the same beginning may have another end.
        let name = "\(receipt.position)/\(last ?? "")" + (isLast ? "/last" : "")
        let part = ErasureRequest(
            request: request.id, part: name, customer: customer, pseudonym: request.pseudonym,
            orders: Set(deliveries.map(\.order)).sorted(),
            deliveries: deliveries.map { Self.message(of: $0, as: request.pseudonym) }, isLast: isLast,
            keepsCustomer: try await ErasureRepository.hasOther(customer, on: pool), mayWait: mayWait)
        return (.customer(part), last, isLast)
    }

    /// The state that late messages about the delivery meet in other services.
    private static func message(of delivery: Delivery, as pseudonym: CustomerID) -> DeliveryChanged {
        let erased = delivery.erased(as: pseudonym)
        return DeliveryChanged(
            delivery: erased, links: [], cause: "erased", changedAt: erased.endedAt ?? erased.statusSince)
    }

    // MARK: This service's rows

    private struct LostLease: Error {}

    private func advanceCustomer(
        _ customer: CustomerID, of request: PersonRequest, _ former: PersonRequest.Receipts, by token: UUID
    ) async throws {
        var receipts = former
        try await eraseOwn(customer, of: request, &receipts, by: token)
        let reads = ErasureRequest(
            request: request.id, part: ErasureRequest.readsPart, customer: customer, pseudonym: request.pseudonym,
            orders: [], deliveries: [], isLast: true,
            keepsCustomer: try await ErasureRepository.hasOther(customer, on: pool), mayWait: false)
        guard try await replaceReads(of: .customer, reads, .customer(reads), &receipts) else {
            return try await pause(request, Self.failurePause, receipts, by: token)
        }
        try await finish(request, receipts, by: token)
    }

    private func eraseOwn(
        _ customer: CustomerID, of request: PersonRequest, _ receipts: inout PersonRequest.Receipts, by token: UUID
    ) async throws {
        var left = 1
        while left > 0 {
            let own = receipts
            (left, receipts) = try await pool.withTransaction(retriesMax: 3) { transaction in
                var receipts = own
                let left = try await erasePart(of: customer, as: request.pseudonym, &receipts.own, in: transaction)
                let isOurs = try await RequestLease.erasures.store(
                    receipts, of: request.id, by: token, dueIn: Self.lease, on: transaction)
                guard isOurs else { throw LostLease() }
                return (left, receipts)
            }
        }
    }

    /// Replaces the id in the access logs of this service and of the desk, whose readers had it from the other services
    /// until their rows were erased.
    ///
    /// - Returns: false where the desk does not answer.
    private func replaceReads(
        of person: PersonalReadLog.Person, _ part: some ErasurePart, _ request: PersonErasureRequest,
        _ receipts: inout PersonRequest.Receipts
    ) async throws -> Bool {
        receipts.own.add(
            try await PersonalReadLog.replace(
                person, part.personID, with: part.pseudonymID, until: part.readsUntil, on: pool))
        do {
            receipts[.desk].add(try await ask(.desk, request).rows)
            return true
        } catch {
            receipts[.desk].failure = "no answer"
            return false
        }
    }

    private func finish(_ request: PersonRequest, _ receipts: PersonRequest.Receipts, by token: UUID) async throws {
        var receipts = receipts
        receipts.own.isDone = true
        let done = receipts
        try await pool.withTransaction(retriesMax: 3) { transaction in
            let isOurs = try await RequestLease.erasures.store(
                done, of: request.id, by: token, dueIn: Self.lease, on: transaction)
            guard isOurs else { throw LostLease() }
            try await transaction.execute(CourierErasureRepository.deleteDeliveries(of: request.id))
            try await PersonRequestRepository.finish(request.id, at: clock.now, in: transaction)
        }
        logger.info("A person is erased in all services", metadata: ["person_request_id": "\(request.id)"])
    }

    /// Erases some deliveries; their rows have the pseudonym then, so that none is found twice.
    ///
    /// - Returns: the number of them.
    private func erasePart(
        of customer: CustomerID, as pseudonym: CustomerID, _ receipt: inout PersonRequest.Receipt,
        in transaction: PostgresTransaction
    ) async throws -> Int {
        let deliveries = try await ErasureRepository.frozen(
            customer, after: "", limit: ErasureRequest.deliveriesMax, locked: true, on: transaction)
        guard !deliveries.isEmpty else { return 0 }
        let orders = try await ErasureRepository.orders(of: deliveries, on: transaction)
        let all = try await OrderRepository.deliveries(of: orders.map(\.id), on: transaction)
        let answered = try orders.map { order in
            let order = order.erased(as: pseudonym)
            let parts = (all[order.id] ?? []).map { $0.delivery.erased(as: pseudonym) }
            return (order: order, answer: try Self.answer(order, parts))
        }
        var rows = ErasedRows(in: transaction)
        try await ErasureRepository.erase(deliveries.map { $0.erased(as: pseudonym) }, answered, from: &rows)
        receipt.add(rows.counts)
        return deliveries.count
    }

    /// The answer to a repeat of the request that placed the order.
    private static func answer(_ order: Order, _ deliveries: [Delivery]) throws -> Data {
        let reader = Principal(.system("erasure"))
        // The first answer had no courier: none is to be found in it when the courier is erased.
        let bodies = deliveries.map { delivery in
            let courier = delivery.courier.map {
                ErasedCourier(id: $0.id, pseudonym: CourierID(pseudonym: UUID()), names: [], phones: [])
            }
            return DeliveryBody(
                courier.map { delivery.replacing($0) } ?? delivery, dropOff: nil, links: [], for: reader)
        }
        return try WireJSON.encode(OrderBody(order, deliveries: bodies).with(doors: [:]))
    }

    // MARK: Couriers

    /// Puts the pseudonym in this service's rows first: what the other services are given is then newer than everything
    /// that has the courier.
    private func advanceCourier(_ request: PersonRequest, by token: UUID) async throws {
        var receipts = request.receipts
        if !receipts.own.isDone { try await refusePhones(of: request) }
        var parts = 0
        while !receipts.own.isDone {
            // Other requests are continued meanwhile.
            if parts >= Self.partsMax { return try await pause(request, .zero, receipts, by: token) }
            parts += 1
            let former = receipts
            let (next, progress) = try await pool.withTransaction(retriesMax: 3) { transaction in
                var receipts = former
                let progress = try await courierErasure.part(of: request, &receipts.own, in: transaction)
                guard
                    try await RequestLease.erasures.store(
                        receipts, of: request.id, by: token, dueIn: Self.lease, on: transaction)
                else { throw LostLease() }
                return (receipts, progress)
            }
            receipts = next
            courierErasure.wakeRelay()
            if case .isWaiting = progress { return try await pause(request, Self.failurePause, receipts, by: token) }
        }
        // The names that were found meanwhile are of the request.
        guard let erased = try await PersonRequestRepository.request(request.id, on: pool)?.courier else { return }
        if try await CourierErasureRepository.waitsForCustomer(request.id, on: pool) {
            return try await pause(request, Self.failurePause, receipts, by: token)
        }
        let all = try await askServices(about: request, receipts, by: token) { receipt, mayWait in
            let (part, last) = try await courierErasure.request(
                request, erased, after: receipt.position, mayWait: mayWait)
            return (.courier(part), last, part.isLast)
        }
        guard var all else { return }
        let reads = try await courierErasure.reads(request, erased)
        guard try await replaceReads(of: .courier, reads, .courier(reads), &all) else {
            return try await pause(request, Self.failurePause, all, by: token)
        }
        try await finish(request, all, by: token)
    }

    /// Asks `courier-eta` to refuse the courier's phones from the beginning; where it is away, its last part does that.
    private func refusePhones(of request: PersonRequest) async throws {
        guard let courier = request.courier else { return }
        let refusal = try await courierErasure.refusal(request, courier)
        do { _ = try await ask(.courierETA, .courier(refusal)) } catch {
            logger.warning(
                "The phones of a courier who is erased are not refused yet",
                metadata: ["person_request_id": "\(request.id)", "reason": "\(error)"])
        }
    }

    /// Releases the request, which any replica continues later.
    private func pause(
        _ request: PersonRequest, _ pause: Duration, _ receipts: PersonRequest.Receipts, by token: UUID
    ) async throws {
        _ = try await RequestLease.erasures.store(receipts, of: request.id, by: token, dueIn: pause, on: pool)
    }
}
