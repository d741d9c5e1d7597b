import DomainTime
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Continues requests to export persons' data: asks every service chunk by chunk, and stores each chunk sealed.
///
/// A chunk is stored with the place of the next one, and only while the request is leased. So an archive has each
/// record once, however often its process or a service is restarted meanwhile, and of a request that is deleted nothing
/// is stored later. No more than one chunk is in memory.
struct ContinueExports: Sendable {
    /// Wall time for which a request is this replica's; longer than an answer may take.
    private static let lease = Duration.seconds(60)
    /// The pause before a service is asked again that has not answered.
    private static let failurePause = Duration.seconds(5)
    /// Turns of requests in a round; the next round asks services again that were away.
    private static let turnsMax = 50
    private static let noAnswer = "no answer"

    let pool: PostgresPool
    let clock: DomainClock
    let ask: ExportClient
    /// This service's own records.
    let own: ExportPerson
    /// Nil where no archive can be kept, and so no request is accepted.
    let box: ArchiveBox?
    let logger: Logger
    let makeUUID: @Sendable () -> UUID
    /// Chunks of a request's turn, after which another request has one.
    var chunksMax = 200

    /// Continues the requests that are due, each by some chunks before the next one's turn.
    ///
    /// - Returns: the wall time until the next one is due; nil without a running request.
    func callAsFunction() async throws -> Duration? {
        guard let box else { return nil }
        let token = makeUUID()
        var round = Round()
        for _ in 0..<Self.turnsMax {
            guard let export = try await ExportRepository.lease(token, for: Self.lease, on: pool) else { break }
            round.chunksLeft = chunksMax
            try await advance(export, sealing: box, by: token, in: &round)
        }
        return try await RequestLease.exports.nextDue(on: pool)
    }

    /// The state that the requests of one round share.
    private struct Round {
        /// Services that did not answer: each is asked once in a round, not once for every request.
        var away: Set<ErasingService> = []
        /// Chunks until another request's turn.
        var chunksLeft = 0
    }

    private enum Progress {
        case done, failed
        /// Another request has its turn.
        case paused
        /// Another replica continues the request, or it is deleted.
        case isLost
    }

    private func advance(
        _ export: PersonExport, sealing box: ArchiveBox, by token: UUID, in round: inout Round
    ) async throws {
        var receipts = export.receipts
        var hasFailed = false
        let services = [nil] + ErasingService.allCases.map(Optional.some)
        for service in services where !receipts[exporting: service].isDone {
            switch try await collect(export, from: service, &receipts, sealing: box, by: token, in: &round) {
            case .done: continue
            case .failed: hasFailed = true
            case .paused:
                _ = try await RequestLease.exports.store(receipts, of: export.id, by: token, dueIn: .zero, on: pool)
                return
            case .isLost: return
            }
        }
        guard !hasFailed else {
            _ = try await RequestLease.exports.store(
                receipts, of: export.id, by: token, dueIn: Self.failurePause, on: pool)
            return
        }
        guard receipts.services.values.contains(where: { !$0.rows.isEmpty }) else {
            return try await ExportRepository.deleteEmpty(export.id, by: token, on: pool)
        }
        if try await ExportRepository.finish(export.id, by: token, at: clock.now, on: pool) {
            logger.info(
                "A person's data are exported from all services", metadata: ["person_request_id": "\(export.id)"])
        }
    }

    /// Asks a service, or this one for nil, for its remaining chunks.
    private func collect(
        _ export: PersonExport, from service: ErasingService?, _ receipts: inout PersonRequest.Receipts,
        sealing box: ArchiveBox, by token: UUID, in round: inout Round
    ) async throws -> Progress {
        if let service, round.away.contains(service) {
            receipts[exporting: service].failure = Self.noAnswer
            return .failed
        }
        var present: (PersonRequest.Receipt.Part, [ExportRequest.Part])?
        while !receipts[exporting: service].isDone {
            guard round.chunksLeft > 0 else { return .paused }
            var receipt = receipts[exporting: service]
            let (part, deliveries) =
                if let present { present } else { try await self.part(of: export, for: service, at: receipt) }
            let chunk: ExportChunk
            do {
                chunk = try await answer(
                    of: service,
                    to: ExportRequest(
                        request: export.id, person: export.person, store: export.store, deliveries: deliveries,
                        since: export.since, isLast: part.isLast, cursor: receipt.cursor))
            } catch let error as PostgresError where service == nil && error.isOutage {
                throw error
            } catch {
                report(error, of: service, in: export, isFirst: receipt.failure == nil)
                receipts[exporting: service].failure =
                    service == nil ? "its records cannot be read" : (error as? Refused)?.description ?? Self.noAnswer
                if let service { round.away.insert(service) }
                return .failed
            }
            receipt.add(chunk, of: part)
            present = receipt.part.map { ($0, deliveries) }
            receipts[exporting: service] = receipt
            round.chunksLeft -= 1
            guard try await store(chunk, receipts, of: export, sealing: box, by: token)
            else { return .isLost }
        }
        return .done
    }

    /// The part in which a service's receipt is, with its deliveries that are left.
    ///
    /// Other services have nothing of a courier by delivery, and are asked once.
    private func part(
        of export: PersonExport, for service: ErasingService?, at receipt: PersonRequest.Receipt
    ) async throws -> (PersonRequest.Receipt.Part, [ExportRequest.Part]) {
        if service != nil, case .courier = export.person { return (.init(deliveries: [], isLast: true), []) }
        let part: PersonRequest.Receipt.Part
        if let present = receipt.part {
            part = present
        } else {
            let deliveries = try await ExportRepository.part(of: export, after: receipt.position, on: pool)
            part = .init(deliveries: deliveries, isLast: deliveries.count < ExportRequest.deliveriesMax)
        }
        return (part, try await ExportRepository.episodes(of: part.deliveries, export, on: pool))
    }

    /// Stores a chunk with the place of the next one.
    ///
    /// - Returns: false where another replica has leased the request since, or it is deleted.
    private func store(
        _ chunk: ExportChunk, _ receipts: PersonRequest.Receipts, of export: PersonExport,
        sealing box: ArchiveBox, by token: UUID
    ) async throws -> Bool {
        let number = receipts.chunks
        let stored = try chunk.section.map { section in
            let sealed = try box.seal(chunk.records, in: section, number: number, of: export.id)
            return ExportRepository.insert(.init(number: number, sealed: sealed), in: section, of: export.id)
        }
        return try await pool.withTransaction(retriesMax: 3) { transaction in
            let isOurs = try await RequestLease.exports.store(
                receipts, of: export.id, by: token, dueIn: Self.lease, on: transaction)
            if isOurs, let stored { try await transaction.execute(stored) }
            return isOurs
        }
    }

    private func answer(of service: ErasingService?, to request: ExportRequest) async throws -> ExportChunk {
        let chunk = if let service { try await ask(service, request) } else { try await own(request) }
        if let fault = chunk.fault { throw Refused(description: fault) }
        guard chunk.records.isEmpty == (chunk.section == nil), !chunk.records.contains(where: { $0.contains("\n") })
        else { throw Refused(description: "its chunk is no list of records") }
        return chunk
    }

    private func report(_ error: any Error, of service: ErasingService?, in export: PersonExport, isFirst: Bool) {
        guard isFirst else { return }
        logger.warning(
            "A service does not export a person's data yet; it is asked again",
            metadata: [
                "person_request_id": "\(export.id)",
                "service": "\(service?.rawValue ?? PersonRequest.Receipts.ownName)", "reason": "\(error)",
            ])
    }

    private struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
