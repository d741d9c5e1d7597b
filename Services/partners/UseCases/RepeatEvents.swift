import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Sends events once more, or made-up ones, to endpoints that are tried.
struct RepeatEvents: Sendable {
    /// Events of one request.
    static let eventsMax = 10_000
    /// Days of one request.
    static let daysMax = 30.0

    let pool: PostgresPool
    let clock: DomainClock
    let makeUUID: @Sendable () -> UUID
    /// Called after events were queued.
    let wake: @Sendable () -> Void

    enum Refusal: Error, Hashable {
        case noSuchEvent(EventID)
        case tooMany
    }

    /// Queues one event for an endpoint once more.
    func replay(_ event: EventID, to endpoint: Endpoint) async throws -> Int {
        guard try await EventRepository.replay(event, to: endpoint, at: clock.now, on: pool) else {
            throw Refusal.noSuchEvent(event)
        }
        wake()
        return 1
    }

    /// Queues a period's events once more where the endpoint subscribes to them, oldest first.
    func replay(from: Date, to: Date, for endpoint: Endpoint) async throws -> Int {
        let count = try await EventRepository.count(from: from, to: to, for: endpoint, max: Self.eventsMax, on: pool)
        guard count <= Self.eventsMax else { throw Refusal.tooMany }
        let queued = try await EventRepository.replay(from: from, to: to, to: endpoint, at: clock.now, on: pool)
        wake()
        return queued
    }

    /// Queues a synthetic event for every endpoint that subscribes to such events, listeners with open streams too.
    ///
    /// - Parameters:
    ///   - endpoint: the only recipient, whatever its subscription; nil for all.
    ///   - scope: the only store whose endpoints are recipients; nil for all.
    func trigger(_ type: WebhookEventType, to endpoint: Endpoint?, within scope: StoreID?) async throws -> Int {
        guard let store = scope ?? endpoint?.store ?? StoreID(rawValue: "test-store") else { return 0 }
        let now = clock.now
        let event = try DeliveryEvent.sample(type, uuid: makeUUID(), store: store, at: now)
        var subscribers = [endpoint?.id].compactMap(\.self)
        if endpoint == nil {
            subscribers = try await EndpointRepository.subscriptions(openOnly: true, on: pool).filter {
                (scope == nil || $0.store == scope) && $0.subscribes(to: type)
            }.map(\.endpoint)
        }
        guard !subscribers.isEmpty else { return 0 }
        try await pool.batch(EventRepository.insert([event], for: subscribers.map { (event.id, $0) }, at: now))
        wake()
        return subscribers.count
    }
}
