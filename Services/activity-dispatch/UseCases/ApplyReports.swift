import BackgroundWork
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Applies an app's reports about the cards on its device.
struct ApplyReports: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let fanOut: WantedStateFanOut
    let wakeSignals: WakeSignalGroup
    let outbox: any Outbox

    static let reportsMax = 100
    /// The most Live Activities in an inventory; more than iOS gives any app.
    static let instancesMax = 100
    /// Domain seconds for which app reports count toward the measures: a day.
    static let measuredFor: TimeInterval = 24 * 3600

    /// - Returns: the number of reports about known cards, and the app's actions for the reported instances; nil when
    ///   the device is not the customer's.
    func callAsFunction(
        _ reports: [DeviceReport], from id: DeviceID, of customer: CustomerID, within scope: TokenScope = TokenScope()
    ) async throws -> ReportsTakenBody? {
        let now = clock.now
        let (body, messages) = try await pool.withTransaction(retriesMax: 3) {
            transaction -> (ReportsTakenBody?, OutboxBatch) in
            guard let stored = try await ActivityRepository.lockDevice(id, in: transaction),
                stored.device.customer == customer, stored.device.isUsable(within: scope)
            else { return (nil, OutboxBatch([])) }
            let before = try await ActivityRepository.cards(on: id, in: transaction)
            let after = try await apply(reports, to: before, on: stored.device, now, in: transaction)
            let changed = zip(before, after.cards).filter { $0.card != $1 }.map { stored, card in
                var changed = stored
                changed.card = card
                return changed
            }
            let new = after.cards.dropFirst(before.count).map { StoredCard($0) }
            var statements = ActivityRepository.save(changed + new)
            let isDue = !statements.isEmpty || after.device != stored.device
            if stored.device.transport == .apns {
                statements += try await ledgerChanges(after.observations, now, in: transaction)
            }
            if !reports.isEmpty {
                statements.append(ActivityRepository.saveReported(after.device, isDue: isDue, at: now))
            }
            try await transaction.batch(statements)
            let messages = try await RecountHealth(outbox: outbox)(
                from: before, to: after.cards, at: now, in: transaction)
            let body = ReportsTakenBody(taken: after.accepted, unknown: after.unknown, instances: after.answers)
            return (body, messages)
        }
        outbox.publish(messages)
        wakeSignals.wake()
        return body
    }

    /// The ledger changes that the observations prove.
    private func ledgerChanges(
        _ observations: [CardObservation], _ now: Date, in transaction: PostgresTransaction
    ) async throws -> [SQL] {
        guard !observations.isEmpty else { return [] }
        var pushes = try await ActivityRepository.ledgerPushes(
            to: Array(Set(observations.map(\.card))), since: now.addingTimeInterval(-Self.measuredFor), in: transaction)
        return observations.flatMap { observation -> [SQL] in
            let before = pushes[observation.card] ?? []
            pushes[observation.card, default: []].apply(observation)
            return zip(before, pushes[observation.card] ?? []).filter { $0 != $1 }.map { ActivityRepository.save($1) }
        }
    }

    private func apply(
        _ reports: [DeviceReport], to before: [StoredCard], on device: Device, _ now: Date,
        in transaction: PostgresTransaction
    ) async throws -> ReportedCards {
        let cards = before.map(\.card)
        let ids = Set(cards.map(\.id))
        let needed = reports.flatMap(\.activitiesNamed)
        // The answer for an instance depends on its card's activity, whichever card it belongs to.
        let all = reports.contains(where: \.namesInstances) ? needed + cards.map(\.activity) : needed
        var reported = ReportedCards(
            device: device, cards: cards,
            activities: try await ActivityRepository.activities(Array(Set(all)), in: transaction),
            foreignCards: try await ActivityRepository.knownCards(
                among: reports.flatMap(\.cardsNamed).filter { !ids.contains($0) }, in: transaction),
            limits: fanOut.transports.of(device)?.limits ?? .apns, now: now, newID: fanOut.newID)
        for report in reports { reported.apply(report) }
        return reported
    }
}

extension DeviceReport {
    /// Activities that it may claim.
    fileprivate var activitiesNamed: [ActivityID] {
        switch content {
        case .inventory(let seen): seen.map(\.activity)
        case .card, .failed: isStart || instance != nil ? [activity].compactMap(\.self) : []
        }
    }

    fileprivate var cardsNamed: [UUID] {
        switch content {
        case .inventory(let seen): seen.compactMap(\.card)
        case .card, .failed: [card].compactMap(\.self)
        }
    }

    fileprivate var namesInstances: Bool {
        switch content {
        case .inventory: true
        case .card, .failed: instance != nil
        }
    }

    /// - Throws: `RegisterDevice.Invalid` with the path of the field that is wrong.
    init(_ body: ReportBody, at path: String, now: Date, wall: Date) throws {
        let card = try Self.card(body.card, "\(path).card")
        let activity = try body.activity.map { try Self.activity($0, "\(path).activity") }
        if let instance = body.instance { try Self.check(instance, "\(path).instance") }
        guard card != nil || body.instance != nil || activity != nil || body.kind == .inventory else {
            throw RegisterDevice.Invalid(path: path, message: "names neither card, instance nor activity")
        }
        let token = try body.updateToken.map { try pushToken($0, "\(path).updateToken", at: now, wall: wall) }
        let content: Content
        switch body.kind {
        case .started: content = .card(.started(updateToken: token))
        case .shown: content = .card(.shown(body.revision))
        case .pending:
            if let startAt = body.startAt, !Self.startTimes.contains(startAt) {
                throw RegisterDevice.Invalid(
                    path: "\(path).startAt", message: "is not 0 to \(Self.startTimes.upperBound)")
            }
            content = .card(.pending(startAt: body.startAt.map { Date(timeIntervalSince1970: TimeInterval($0)) }))
        case .ended: content = .card(.ended)
        case .dismissed: content = .card(.dismissed)
        case .stale: content = .card(.stale)
        case .failed:
            guard let code = body.code, code.isPlainText(charactersMax: RegisterDevice.textCharactersMax) else {
                throw RegisterDevice.Invalid(path: "\(path).code", message: "is not a code of ActivityKit")
            }
            content = .failed(code: code)
        case .inventory:
            guard let seen = body.instances, seen.count <= ApplyReports.instancesMax else {
                throw RegisterDevice.Invalid(
                    path: "\(path).instances", message: "is missing or has more than \(ApplyReports.instancesMax)")
            }
            content = .inventory(
                try seen.enumerated().map { try SeenInstance($1, at: "\(path).instances[\($0)]") })
        }
        self.init(
            card: card, instance: body.instance, activity: activity, content: content, revision: body.revision,
            updateToken: body.kind == .started ? nil : token,
            isUpdatedByApp: body.revision != nil && body.isUpdatedByApp == true, at: body.at)
    }

    /// Epoch seconds, up to 2100.
    private static let startTimes = 0...4_102_444_800

    fileprivate static func card(_ text: String?, _ path: String) throws -> UUID? {
        try text.map {
            guard let id = UUID(uuidString: $0) else {
                throw RegisterDevice.Invalid(path: path, message: "is not a card's id")
            }
            return id
        }
    }

    fileprivate static func activity(_ text: String, _ path: String) throws -> ActivityID {
        guard let id = ActivityID(rawValue: text) else {
            throw RegisterDevice.Invalid(path: path, message: "is not an activity's id")
        }
        return id
    }

    fileprivate static func check(_ instance: String, _ path: String) throws {
        guard instance.isPlainText(charactersMax: RegisterDevice.textCharactersMax) else {
            throw RegisterDevice.Invalid(
                path: path, message: "is not 1 to \(RegisterDevice.textCharactersMax) characters, none a control one")
        }
    }
}

extension DeviceReport.SeenInstance {
    fileprivate init(_ body: ReportBody.Instance, at path: String) throws {
        try DeviceReport.check(body.instance, "\(path).instance")
        self.init(
            instance: body.instance, card: try DeviceReport.card(body.card, "\(path).card"),
            activity: try DeviceReport.activity(body.activity, "\(path).activity"), revision: body.revision,
            state: body.state, isUpdatedByApp: body.isUpdatedByApp == true)
    }
}
