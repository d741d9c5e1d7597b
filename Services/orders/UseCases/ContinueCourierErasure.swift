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
    let personalData: PersonalDataBox
    /// Publishes the messages of a committed part at once; the caller calls it after its commit.
    let wakeRelay: @Sendable () -> Void

    /// Whether this service's next part can be made now.
    enum Progress: Sendable {
        case made
        /// Every delivery that is left waits for the erasure of its customer.
        case isWaiting
    }

    /// How far this service is, in the position of its receipt.
    enum Stage: Hashable {
        /// Searching the timeline for former assignments, after an entry and up to the last one of before the request.
        case timeline(after: Int, until: Int)
        /// Searching deliveries, whose timeline may have gone.
        case deliveries(after: String)
        case replacing

        init(_ position: String) {
            let parts = position.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts.count {
            case 2 where parts[0] == Self.deliveriesName: self = .deliveries(after: parts[1])
            case 2: self = .timeline(after: Int(parts[0]) ?? 0, until: Int(parts[1]) ?? .max)
            default: self = position == Self.replacingName ? .replacing : .timeline(after: 0, until: .max)
            }
        }

        private static let deliveriesName = "deliveries"
        private static let replacingName = "replacing"

        var position: String {
            switch self {
            case .timeline(let entry, let last): "\(entry)/\(last)"
            case .deliveries(let id): "\(Self.deliveriesName)/\(id)"
            case .replacing: Self.replacingName
            }
        }
    }

    /// Makes the next part of this service's rows.
    ///
    /// - Parameter receipt: counts the part, and is done after the last.
    func part(
        of request: PersonRequest, _ receipt: inout PersonRequest.Receipt, in transaction: PostgresTransaction
    ) async throws -> Progress {
        // The search may have found further names.
        guard let erased = try await PersonRequestRepository.request(request.id, on: transaction)?.courier else {
            return .made
        }
        switch Stage(receipt.position) {
        case .timeline(let entry, let last):
            let next = try await CourierErasureRepository.noteFormer(
                of: erased, request.id, at: request.store, after: entry, until: last, by: personalData, in: transaction)
            receipt.position =
                (next.map { Stage.timeline(after: $0, until: last) } ?? .deliveries(after: "")).position
        case .deliveries(let id):
            let next = try await CourierErasureRepository.noteFormer(
                of: erased, request.id, at: request.store, afterDelivery: id, by: personalData, in: transaction)
            receipt.position = (next.map { Stage.deliveries(after: $0) } ?? .replacing).position
        case .replacing:
            let unreplaced = try await CourierErasureRepository.unreplaced(of: request.id, in: transaction)
            if unreplaced.isWaiting { return .isWaiting }
            var rows = ErasedRows(in: transaction)
            let opened = try personalData.opened(erased)
            // A page of which every delivery began to wait is read again without them.
            receipt.isDone = unreplaced.ids.isEmpty && unreplaced.epochs.isEmpty
            if receipt.isDone {
                try await ErasedCourierRows.eraseOthers(
                    opened, before: request.requestedAt,
                    isKept: try await CourierErasureRepository.isKnown(
                        erased.id, since: request.id, on: transaction), from: &rows)
            } else {
                try await replace(opened, in: unreplaced, of: request, from: &rows)
            }
            receipt.add(rows.counts)
        }
        return .made
    }

    /// Puts the pseudonym in the place of the courier in some deliveries.
    private func replace(
        _ erased: ErasedCourier, in unreplaced: CourierErasureRepository.Unreplaced, of request: PersonRequest,
        from rows: inout ErasedRows
    ) async throws {
        // A delivery that was assigned to a new courier with the id since stays theirs.
        let own = unreplaced.records.filter { record in
            record.delivery.courier?.id != erased.id
                || record.delivery.assignmentEpoch == unreplaced.epochs[record.delivery.id]
        }
        let now = clock.now
        var changed: [(before: Delivery, record: DeliveryRecord)] = []
        for var record in own {
            let before = record.delivery
            let delivery = before.without(erased, isFormer: true)
            guard delivery != before else { continue }
            record.delivery = delivery
            changed.append((before, record))
        }
        try await ErasedCourierRows.erase(
            erased, in: changed.map(\.record.delivery), of: own.map(\.delivery.id.rawValue), at: now, from: &rows)
        // Other services are given ended deliveries with the request; a live one changes as by any other change.
        let live = changed.filter { !$0.record.delivery.status.isEnded }
        let news = try live.flatMap { one in
            try messages.messages(for: one.record, cause: ErasedCourierRows.timelineKind, at: now)
        }
        let timers = live.flatMap { DeliveryTimers.timers(for: $0.record.delivery, after: $0.before, at: now) }
        var statements = [CourierErasureRepository.setReplaced(unreplaced.ids, of: request.id)]
        statements += DurableTimer.scheduling(timers)
        if !live.isEmpty {
            statements.append(OrderRepository.recordChange(of: Set(live.map(\.before.order)).sorted(), at: now))
        }
        if !news.isEmpty { statements += OutboxBatch(news).insertion }
        _ = try await rows.transaction.batch(statements)
    }

    // MARK: Other services

    /// The position of the last part of each service, which is of the courier alone; no delivery has such an id.
    private static let courierPart = "courier"

    /// The part of the request that another service erases next: deliveries, and at last what is of none.
    func request(
        _ request: PersonRequest, _ erased: ErasedCourier, after position: String, mayWait: Bool
    ) async throws -> (part: CourierErasureRequest, last: String?) {
        guard position != Self.courierPart else {
            let opened = try personalData.opened(erased)
            return (try await part(Self.courierPart, of: request, opened, isLast: true, mayWait: mayWait), nil)
        }
        let page = try await CourierErasureRepository.replaced(
            of: request.id, erased.id, after: position, limit: CourierErasureRequest.deliveriesMax, on: pool)
        let opened = try personalData.opened(erased)
        // With its end: where a delivery is gone since, the same beginning may have another end.
        let name = "\(position)/\(page.last ?? "")"
        let part = try await part(name, of: request, opened, page.deliveries, mayWait: mayWait)
        return (part, page.isLast ? Self.courierPart : page.last)
    }

    /// The part of what was recorded about reads until every service had erased its rows.
    func reads(_ request: PersonRequest, _ erased: ErasedCourier) async throws -> CourierErasureRequest {
        try await part(ErasureRequest.readsPart, of: request, erased.withoutNumbers, isLast: true, mayWait: false)
    }

    /// The request at whose arrival `courier-eta` refuses the courier's phones: a part without a delivery.
    func refusal(_ request: PersonRequest, _ erased: ErasedCourier) async throws -> CourierErasureRequest {
        try await part("phones", of: request, erased.withoutNumbers, mayWait: false)
    }

    private func part(
        _ name: String, of request: PersonRequest, _ erased: ErasedCourier, _ deliveries: [Delivery] = [],
        isLast: Bool = false, mayWait: Bool
    ) async throws -> CourierErasureRequest {
        CourierErasureRequest(
            request: request.id, part: name, courier: erased,
            deliveries: deliveries.map { delivery in
                DeliveryChanged(
                    delivery: delivery, links: [], cause: ErasedCourierRows.timelineKind,
                    changedAt: delivery.endedAt ?? delivery.statusSince)
            }, requestedAt: request.requestedAt, isLast: isLast,
            keepsCourier: try await CourierErasureRepository.isKnown(erased.id, since: request.id, on: pool),
            mayWait: mayWait)
    }
}

extension ErasedCourier {
    /// The courier for a part that replaces no text.
    fileprivate var withoutNumbers: ErasedCourier {
        ErasedCourier(id: id, pseudonym: pseudonym, names: names, phones: [])
    }
}
