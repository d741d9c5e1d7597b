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

/// Continues requests to erase customers: asks the other services part by part, and erases this service's rows last.
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

    let pool: PostgresPool
    let clock: DomainClock
    let ask: ErasureClient
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
        return try await PersonRequestRepository.nextDue(on: pool)
    }

    private func advance(_ request: PersonRequest, by token: UUID) async throws {
        guard let customer = request.customer else { return }
        var receipts = request.receipts
        var pause = Duration.zero
        for service in ErasingService.allCases where !receipts[service].isDone {
            switch try await erase(customer, of: request, at: service, &receipts, by: token) {
            case .done: continue
            case .isWaiting: pause = max(pause, Self.cardsPause)
            case .failed: pause = max(pause, Self.failurePause)
            case .isLost: return
            }
        }
        guard receipts.areComplete else {
            _ = try await PersonRequestRepository.store(receipts, of: request.id, by: token, dueIn: pause, on: pool)
            return
        }
        do {
            try await eraseOwn(customer, of: request, &receipts, by: token)
            guard try await replaceReads(of: customer, request, &receipts) else {
                _ = try await PersonRequestRepository.store(
                    receipts, of: request.id, by: token, dueIn: Self.failurePause, on: pool)
                return
            }
            try await finish(request, receipts, by: token)
        } catch is LostLease {
            return
        }
        logger.info("A person is erased in all services", metadata: ["person_request_id": "\(request.id)"])
    }

    private enum Progress {
        case done, isWaiting, failed
        /// Another replica continues the request.
        case isLost
    }

    /// Asks a service for its remaining parts.
    private func erase(
        _ customer: CustomerID, of request: PersonRequest, at service: ErasingService,
        _ receipts: inout PersonRequest.Receipts, by token: UUID
    ) async throws -> Progress {
        while !receipts[service].isDone {
            let deliveries = try await ErasureRepository.frozen(
                customer, after: receipts[service].position, limit: ErasureRequest.deliveriesMax, on: pool)
            let isLast = deliveries.count < ErasureRequest.deliveriesMax
            let part = ErasureRequest(
                request: request.id, part: receipts[service].position, customer: customer,
                pseudonym: request.pseudonym, orders: Set(deliveries.map(\.order)).sorted(),
                deliveries: deliveries.map { Self.message(of: $0, as: request.pseudonym) }, isLast: isLast,
                keepsCustomer: try await ErasureRepository.hasOther(customer, on: pool),
                mayWait: receipts[service].waitingSince.map {
                    clock.now < $0.addingTimeInterval(Self.cardsSecondsMax)
                } ?? true)
            let receipt: ErasureReceipt
            do { receipt = try await ask(service, part) } catch {
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
            receipts[service].position = deliveries.last?.id.rawValue ?? receipts[service].position
            receipts[service].isDone = isLast
            guard
                try await PersonRequestRepository.store(
                    receipts, of: request.id, by: token, dueIn: Self.lease, on: pool)
            else { return .isLost }
        }
        return .done
    }

    /// The state that late messages about the delivery meet in other services.
    private static func message(of delivery: Delivery, as pseudonym: CustomerID) -> DeliveryChanged {
        let erased = delivery.erased(as: pseudonym)
        return DeliveryChanged(
            delivery: erased, links: [], cause: "erased", changedAt: erased.endedAt ?? erased.statusSince)
    }

    // MARK: This service's rows

    private struct LostLease: Error {}

    private func eraseOwn(
        _ customer: CustomerID, of request: PersonRequest, _ receipts: inout PersonRequest.Receipts, by token: UUID
    ) async throws {
        var left = 1
        while left > 0 {
            let own = receipts
            (left, receipts) = try await pool.withTransaction(retriesMax: 3) { transaction in
                var receipts = own
                let left = try await erasePart(of: customer, as: request.pseudonym, &receipts.own, in: transaction)
                let isOurs = try await PersonRequestRepository.store(
                    receipts, of: request.id, by: token, dueIn: Self.lease, on: transaction)
                guard isOurs else { throw LostLease() }
                return (left, receipts)
            }
        }
    }

    /// Replaces the id in the access logs of this service and of the desk, whose readers had it from this service until
    /// its rows were erased.
    ///
    /// - Returns: false where the desk does not answer.
    private func replaceReads(
        of customer: CustomerID, _ request: PersonRequest, _ receipts: inout PersonRequest.Receipts
    ) async throws -> Bool {
        let rows = try await PersonalReadLog.replace(
            customer: customer.rawValue, with: request.pseudonym.rawValue, on: pool)
        receipts.own.add(rows)
        let part = ErasureRequest(
            request: request.id, part: ErasureRequest.readsPart, customer: customer, pseudonym: request.pseudonym,
            orders: [], deliveries: [], isLast: true,
            keepsCustomer: try await ErasureRepository.hasOther(customer, on: pool), mayWait: false)
        do {
            receipts[.desk].add(try await ask(.desk, part).rows)
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
            let isOurs = try await PersonRequestRepository.store(
                done, of: request.id, by: token, dueIn: Self.lease, on: transaction)
            guard isOurs else { throw LostLease() }
            try await PersonRequestRepository.finish(request.id, at: clock.now, in: transaction)
        }
    }

    /// Erases some deliveries; their rows have the pseudonym then, so that none is found twice.
    ///
    /// - Returns: the number of them.
    private func erasePart(
        of customer: CustomerID, as pseudonym: CustomerID, _ receipt: inout PersonRequest.Receipt,
        in transaction: PostgresTransaction
    ) async throws -> Int {
        let deliveries = try await ErasureRepository.frozen(
            customer, after: "", limit: ErasureRequest.deliveriesMax, on: transaction)
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
        let bodies = deliveries.map { DeliveryBody($0, dropOff: nil, links: [], for: reader) }
        return try WireJSON.encode(OrderBody(order, deliveries: bodies).with(doors: [:]))
    }
}
