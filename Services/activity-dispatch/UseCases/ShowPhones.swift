import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import PostgresClient

/// The abilities, tokens and confirmed screens of the devices of activities' customers.
struct ShowPhones: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let transports: Transports
    /// Why nothing is sent for an app in an environment; nil where it is.
    let circuit: @Sendable (PushCircuits.Key) -> CustomerPhoneBody.Circuit?

    /// Hours of domain time, up to now, over which pushes are counted.
    static let measuredHours = [1, 24]

    /// The customers' devices that may show one of the activities or had a card of one, by id.
    func callAsFunction(_ activities: [Activity]) async throws -> [CustomerPhoneBody] {
        guard !activities.isEmpty else { return [] }
        let now = clock.now
        let (devices, cards) = try await ActivityRepository.phones(
            of: Array(Set(activities.map(\.customer))), showing: activities.map(\.id), on: pool)
        let shown = devices.filter { one in
            cards[one.device.id] != nil || activities.contains { one.device.mayShow($0) }
        }
        let measures = try await ActivityRepository.measures(
            of: shown.map(\.device).filter { $0.transport == .apns }.map(\.id), hours: Self.measuredHours, at: now,
            on: pool)
        return shown.map { one in
            body(one, cards[one.device.id] ?? [], measures[one.device.id] ?? [:], at: now)
        }
    }

    private func body(
        _ phone: ActivityRepository.StoredPhone, _ cards: [ActivityRepository.PhoneCard],
        _ measures: [Int: CustomerPhoneBody.Measure], at now: Date
    ) -> CustomerPhoneBody {
        let device = phone.device
        let isPushed = device.transport == .apns
        let environments = Set(([device.pushToStartToken] + cards.map(\.updateToken)).compactMap { $0?.environment })
        return CustomerPhoneBody(
            id: device.id.rawValue, customer: device.customer.rawValue, transport: device.transport.rawValue,
            activitiesEnabled: device.isEnabled, frequentPushesEnabled: device.allowsFrequentPushes,
            osVersion: device.osVersion?.description, appVersion: device.appVersion, bundleID: device.bundleID?.text,
            registeredAt: device.registeredAt, reportedAt: phone.reportedAt,
            startToken: device.pushToStartToken.map(CustomerPhoneBody.Token.init),
            startFailure: device.startFailure.flatMap {
                $0.until > now ? CustomerPhoneBody.StartFailure(code: $0.code, until: $0.until) : nil
            },
            nextStartAt: nextStart(on: device, at: now),
            circuits: !isPushed
                ? []
                : environments.sorted { $0.rawValue < $1.rawValue }.compactMap {
                    circuit(PushCircuits.Key(bundleID: device.bundleID, environment: $0))
                },
            cards: cards.map(\.body),
            measured: !isPushed
                ? []
                : Self.measuredHours.map { hours in
                    measures[hours] ?? CustomerPhoneBody.Measure(hours: hours, starts: .none, high: .none, low: .none)
                })
    }

    private func nextStart(on device: Device, at now: Date) -> Date? {
        let ready = transports.of(device).map { device.starts.ready($0.limits.starts, at: now) }
        return [ready, device.startFailures.retryAt].compactMap(\.self).filter { $0 > now }.max()
    }
}

extension CustomerPhoneBody.Token {
    init(_ token: PushToken) {
        self.init(environment: token.environment, observedAt: token.isOfUnknownAge ? nil : token.observedAt)
    }
}

extension CustomerPhoneBody.Count {
    static let none = CustomerPhoneBody.Count(sent: 0, shown: 0, missing: 0)
}
