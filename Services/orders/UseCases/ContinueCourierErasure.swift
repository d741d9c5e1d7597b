import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Erases a courier from this service's rows part by part, before the other services are asked.
///
/// A delivery without its courier is one version later, so every message that still has the courier is an older one.
struct ContinueCourierErasure: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let messages: DeliveryMessages
    /// Publishes the messages of a committed part at once; the caller calls it after its commit.
    let wakeRelay: @Sendable () -> Void

    /// How far this service is, in the position of its receipt.
    private enum Stage {
        /// Searching the timeline for former assignments, after an entry.
        case searching(after: Int)
        case replacing

        init(_ position: String) {
            self = position == Self.replaced ? .replacing : .searching(after: Int(position) ?? 0)
        }

        private static let replaced = "deliveries"

        var position: String {
            switch self {
            case .searching(let entry): String(entry)
            case .replacing: Self.replaced
            }
        }
    }

    /// Makes the next part of this service's rows.
    ///
    /// - Parameter receipt: counts the part, and is done after the last.
    func part(
        of request: PersonRequest, _ receipt: inout PersonRequest.Receipt, in transaction: PostgresTransaction
    ) async throws {
        // The search may have found further names.
        guard let erased = try await PersonRequestRepository.request(request.id, on: transaction)?.courier else {
            return
        }
        switch Stage(receipt.position) {
        case .searching(let entry):
            let last = try await CourierErasureRepository.noteFormer(
                of: erased, request.id, after: entry, in: transaction)
            receipt.position = (last.map { Stage.searching(after: $0) } ?? .replacing).position
        case .replacing:
            var rows = ErasedRows(in: transaction)
            receipt.isDone = try await !replace(erased, in: request, from: &rows)
            if receipt.isDone {
                try await ErasedCourierRows.eraseOthers(erased, before: request.requestedAt, from: &rows)
            }
            receipt.add(rows.counts)
        }
    }

    /// Puts the pseudonym in the place of the courier in some deliveries.
    ///
    /// - Returns: whether there were any.
    private func replace(
        _ erased: ErasedCourier, in request: PersonRequest, from rows: inout ErasedRows
    ) async throws -> Bool {
        let (ids, records) = try await CourierErasureRepository.unreplaced(of: request.id, in: rows.transaction)
        guard !ids.isEmpty else { return false }
        // A delivery that was given to a new courier with the id since stays theirs.
        let own = records.filter { $0.delivery.status.isEnded || $0.delivery.courier?.id != erased.id }
        let now = clock.now
        var changed: [DeliveryRecord] = []
        for var record in own {
            let delivery = record.delivery.without(erased)
            guard delivery != record.delivery else { continue }
            record.delivery = delivery
            changed.append(record)
        }
        try await ErasedCourierRows.erase(
            erased, in: changed.map(\.delivery), of: own.map(\.delivery.id.rawValue), at: now, from: &rows)
        // Other services are given ended deliveries with the request; a live one changes as by any other change.
        let live = try changed.filter { !$0.delivery.status.isEnded }.flatMap { record in
            try messages.messages(for: record, cause: ErasedCourierRows.timelineKind, at: now)
        }
        var statements = [CourierErasureRepository.setReplaced(ids, of: request.id)]
        if !live.isEmpty { statements += OutboxBatch(live).insertion }
        _ = try await rows.transaction.batch(statements)
        return true
    }

    /// The part of the request that another service erases next.
    func request(
        _ request: PersonRequest, _ erased: ErasedCourier, after position: String, mayWait: Bool
    ) async throws -> (part: CourierErasureRequest, last: String?) {
        let deliveries = try await CourierErasureRepository.replaced(
            of: request.id, erased.id, after: position, limit: ErasureRequest.deliveriesMax, on: pool)
        let part = CourierErasureRequest(
            request: request.id, part: position, courier: erased,
            deliveries: deliveries.map { delivery in
                DeliveryChanged(
                    delivery: delivery, links: [], cause: ErasedCourierRows.timelineKind,
                    changedAt: delivery.endedAt ?? delivery.statusSince)
            }, requestedAt: request.requestedAt, isLast: deliveries.count < ErasureRequest.deliveriesMax,
            keepsCourier: try await CourierErasureRepository.isKnown(erased.id, on: pool), mayWait: mayWait)
        return (part, deliveries.last?.id.rawValue)
    }
}
