import DomainTime
import DoorstepAPI
import FaultInjection
import Foundation
import Messages
import OrderDomain
import PostgresClient
import SimulationSupport

/// Reads everything that the oracle compares: over HTTP what clients see, from the database what nobody is shown.
actor SnapshotReader {
    private let stack: ProxiedStack
    private let devices: DeviceFleet
    private let phones: IPhoneFleet
    private let receiver: WebhookReceiver
    private let faultTimes: FaultTimes
    private let desk: DeskReader
    private let pool: PostgresPool
    /// Ended deliveries as they were read, with how much the ledger knew of them: they do not change by
    /// themselves.
    private var endedRecords: [String: (known: Int, record: StackSnapshot.DeliveryRecord)] = [:]

    /// Requests at once.
    private static let requestsMax = 8

    init(
        _ stack: ProxiedStack, _ devices: DeviceFleet, _ phones: IPhoneFleet, _ receiver: WebhookReceiver,
        _ faultTimes: FaultTimes, _ pool: PostgresPool
    ) {
        self.stack = stack
        self.devices = devices
        self.phones = phones
        self.receiver = receiver
        self.faultTimes = faultTimes
        self.pool = pool
        desk = DeskReader(stack)
    }

    /// Forgets what was read before, so that the next snapshot has every delivery as it is.
    func forget() { endedRecords = [:] }

    func read(_ book: LedgerBook) async throws -> StackSnapshot {
        let ledger = await book.ledger
        var snapshot = StackSnapshot()
        snapshot.records = try await records(of: ledger)
        snapshot.boardCount = try await desk.liveCount()
        snapshot.screens = await devices.screens() + (try await phones.screens())
        for event in receiver.accepted.values {
            snapshot.events[event.mark.delivery.rawValue, default: []].append(StackSnapshot.Event(event.mark))
        }
        snapshot.eventFaults = receiver.faults
        snapshot.eventRepeats = receiver.repeats { faultTimes.include($0) }
        let database = DatabaseReader(pool: pool, now: stack.clock.now)
        snapshot.wanted = try await database.wanted()
        snapshot.orders = try await database.orders()
        snapshot.fixes = try await database.fixes()
        snapshot.backlogs = try await database.backlogs()
        snapshot.faultCounts = try await database.faultCounts()
        snapshot.backlogs.merge(try await Broker(stack).lags()) { one, _ in one }
        for service in ServiceName.allCases {
            let metrics = ServiceMetrics(try await stack.asOperator.text(service, "/metrics"))
            snapshot.backlogs.merge(metrics.values(of: ServiceMetrics.backlogs, service)) { one, _ in one }
            snapshot.faultCounts.merge(metrics.values(of: ServiceMetrics.faults, service)) { one, _ in one }
        }
        snapshot.exits = await stack.processes.unexpectedExits
        snapshot.logLines = LogFindings(stack.processes.logs).broken
        snapshot.answers = await book.unexpectedAnswers
        return snapshot
    }

    // MARK: Timelines

    private func records(of ledger: Ledger) async throws -> [StackSnapshot.DeliveryRecord] {
        var records: [StackSnapshot.DeliveryRecord] = []
        var rest: [String] = []
        for delivery in ledger.deliveries {
            if let known = endedRecords[delivery], known.known == Self.known(of: delivery, ledger) {
                records.append(known.record)
            } else {
                rest.append(delivery)
            }
        }
        let client = stack.asOperator
        let read = try await withThrowingTaskGroup(of: StackSnapshot.DeliveryRecord?.self) { group in
            var read: [StackSnapshot.DeliveryRecord] = []
            for (index, delivery) in rest.enumerated() {
                if index >= Self.requestsMax, let record = try await group.next() ?? nil { read.append(record) }
                group.addTask { try await Self.record(of: delivery, client) }
            }
            for try await case let record? in group { read.append(record) }
            return read
        }
        // What a provider reports is applied after it was taken, and may be between the two requests of a record.
        for record in read
        where record.hasEnded && record.lines.last?.version == record.version
            && ledger.reports(of: record.delivery).isSubset(of: record.lines.compactMap(\.report))
        {
            endedRecords[record.delivery] = (Self.known(of: record.delivery, ledger), record)
        }
        return (records + read).sorted { $0.delivery < $1.delivery }
    }

    /// How much the ledger knows of a delivery.
    private static func known(of delivery: String, _ ledger: Ledger) -> Int {
        (ledger.changes[delivery]?.count ?? 0) + ledger.reports(of: delivery).count
    }

    /// - Returns: nil where there is no such delivery.
    private static func record(of delivery: String, _ client: RetryingClient) async throws -> StackSnapshot
        .DeliveryRecord?
    {
        do {
            let body: DeliveryBody = try await client.get(.orders, "/v1/deliveries/\(delivery)")
            let timeline: TimelineBody = try await client.get(.orders, "/v1/deliveries/\(delivery)/timeline")
            return StackSnapshot.DeliveryRecord(
                delivery: delivery, customer: body.customer?.rawValue ?? "", status: body.status,
                phase: body.phase.rawValue, version: body.version, episode: body.episode,
                activity: body.activity.rawValue, hasEnded: body.endedAt != nil,
                lines: timeline.entries.map {
                    .init(
                        version: $0.version, kind: $0.kind, what: $0.what, by: $0.by, reason: $0.reason,
                        report: $0.reportMark)
                }, events: Set(timeline.events.map(StackSnapshot.Event.init)))
        } catch let refused as RetryingClient.ResponseError where refused.status == 404 {
            return nil
        }
    }
}

extension StackSnapshot.Event {
    fileprivate init(_ mark: EventMark) { self.init(version: mark.version, type: mark.type.rawValue) }
}
