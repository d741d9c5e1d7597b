import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TextCoding
import WebhookSender
import WebhookSignatures

/// Manages endpoints' addresses and their signing keys.
struct ManageEndpoints: Sendable {
    /// Seconds for which the former secret signs too, domain time.
    static let formerSecretSeconds = 86_400.0

    let pool: PostgresPool
    let clock: DomainClock
    let box: SecretBox
    /// Whether `http` and private addresses will do.
    let allowsPrivate: Bool
    let subscriptions: SubscriptionCache
    let makeUUID: @Sendable () -> UUID
    /// Called after events became due.
    let wake: @Sendable () -> Void

    enum Refusal: Error {
        case notFound(EndpointID)
        case tooMany
        case badURL(WebhookURLError)
    }

    /// An id that no endpoint has.
    func makeID() -> EndpointID {
        guard let id = EndpointID(rawValue: "we_" + makeUUID().uuidString.lowercased().replacing("-", with: "")) else {
            preconditionFailure("an endpoint's id is made of what identifiers are made of")
        }
        return id
    }

    /// Adds an endpoint, which gets the events of every change after this has returned.
    ///
    /// - Parameter stream: the stream of a new listener; nil for a webhook.
    /// - Returns: the endpoint, and the secret or key with which a receiver verifies its events.
    func add(
        _ body: NewEndpointBody, store: StoreID?, for stream: ListenerStream? = nil
    ) async throws -> (Endpoint, String) {
        if stream == nil { try check(body.url) }
        let now = clock.now
        let id = stream?.listener ?? makeID()
        let endpoint = Endpoint(
            id: id, kind: stream == nil ? .webhook : .listener, url: body.url, types: body.events ?? [], store: store,
            description: body.description, signature: body.signature ?? .symmetric, health: EndpointHealth(),
            createdAt: now)
        let key = Self.makeKey(endpoint.signature)
        try await pool.withTransaction(retriesMax: 3) { transaction in
            if stream == nil {
                let count = try await EndpointRepository.lockCount(of: store, in: transaction)
                guard count < Endpoint.endpointsMax else { throw Refusal.tooMany }
            }
            try await EndpointRepository.insert(endpoint, stream: stream?.id, on: transaction)
            try await EndpointRepository.insertSecret(
                try box.seal(key.text, of: id.rawValue), id: makeUUID(), of: id, at: now, formerUntil: now,
                in: transaction)
        }
        await subscriptions.settle()
        return (endpoint, key.verifying.text)
    }

    /// The secret or key with which a receiver verifies an endpoint's events; nil for an endpoint that is gone.
    func secret(of id: EndpointID) async throws -> String? {
        guard let sealed = try await EndpointRepository.secrets(of: [id], at: clock.now, on: pool)[id]?.first?.sealed
        else { return nil }
        return try WebhookKey(try box.open(sealed, of: id.rawValue)).verifying.text
    }

    /// Generates a new secret; the former one signs too for a day, also after its encryption key is dropped.
    func rotate(
        _ id: EndpointID, within scope: StoreID?
    ) async throws -> (endpoint: Endpoint, secret: String, formerUntil: Date) {
        let now = clock.now
        let until = now.addingTimeInterval(Self.formerSecretSeconds)
        return try await pool.withTransaction(retriesMax: 3) { transaction in
            let endpoint = try await locked(id, within: scope, in: transaction)
            try await reseal(id, at: now, in: transaction)
            let key = Self.makeKey(endpoint.signature)
            try await EndpointRepository.insertSecret(
                try box.seal(key.text, of: id.rawValue), id: makeUUID(), of: id, at: now, formerUntil: until,
                in: transaction)
            return (endpoint, key.verifying.text, until)
        }
    }

    /// Encrypts an endpoint's secrets by the present key.
    private func reseal(_ id: EndpointID, at now: Date, in transaction: PostgresTransaction) async throws {
        let secrets = try await EndpointRepository.secrets(of: [id], at: now, on: transaction)[id] ?? []
        for secret in secrets {
            // A secret whose encryption key is missing signs nothing already, and is replaced all the same.
            guard let sealed = try box.resealed(secret.sealed, of: id.rawValue) else { continue }
            try await EndpointRepository.reseal(secret.id, as: sealed, in: transaction)
        }
    }

    func change(_ id: EndpointID, _ body: ChangedEndpointBody, within scope: StoreID?) async throws -> Endpoint {
        if let url = body.url { try check(url) }
        let endpoint = try await pool.withTransaction(retriesMax: 3) { transaction in
            var endpoint = try await locked(id, within: scope, in: transaction)
            let now = clock.now
            var isDue = false
            if let url = body.url, url != endpoint.url {
                endpoint.url = url
                endpoint.health.move(at: now)
                isDue = true
            }
            endpoint.types = body.events ?? endpoint.types
            if let description = body.description { endpoint.description = description.value }
            switch body.enabled {
            case true?:
                endpoint.health.enable(at: now)
                isDue = true
            case false?: endpoint.health.disabled = endpoint.health.disabled ?? .asked
            case nil: break
            }
            try await transaction.commit(
                with: [
                    EndpointRepository.updateSettings(endpoint, types: body.events),
                    EndpointRepository.updateHealth(endpoint),
                ]
                    + (isDue ? [EventRepository.makeDue(for: id, at: now)] : []))
            return endpoint
        }
        wake()
        if body.events != nil { await subscriptions.settle() }
        return endpoint
    }

    func remove(_ id: EndpointID, within scope: StoreID?) async throws {
        _ = try await endpoint(id, within: scope)
        try await EndpointRepository.remove(id, at: clock.now, on: pool)
    }

    /// An endpoint for webhooks; listeners are hidden.
    func endpoint(_ id: EndpointID, within scope: StoreID?) async throws -> Endpoint {
        guard let endpoint = try await EndpointRepository.endpoint(id, on: pool), endpoint.isVisible(within: scope)
        else { throw Refusal.notFound(id) }
        return endpoint
    }

    /// The endpoints of webhooks, oldest first, with how many events wait for each.
    func endpoints(within scope: StoreID?) async throws -> [(endpoint: Endpoint, waiting: Int)] {
        let all = try await EndpointRepository.endpoints(of: scope, on: pool)
        let waiting = try await EndpointRepository.waiting(of: all.map(\.id), on: pool)
        return all.map { ($0, waiting[$0.id] ?? 0) }
    }

    /// The number of waiting events of an endpoint, and the end of its former secret; nil without one.
    func queue(of endpoint: Endpoint) async throws -> (waiting: Int, formerSecretUntil: Date?) {
        let id = endpoint.id
        let waiting = try await EndpointRepository.waiting(of: [id], on: pool)[id] ?? 0
        let secrets = try await EndpointRepository.secrets(of: [id], at: clock.now, on: pool)[id] ?? []
        return (waiting, secrets.compactMap(\.expiresAt).max())
    }

    private func locked(
        _ id: EndpointID, within scope: StoreID?, in transaction: PostgresTransaction
    ) async throws -> Endpoint {
        guard let endpoint = try await EndpointRepository.lock([id], in: transaction)[id],
            endpoint.isVisible(within: scope)
        else { throw Refusal.notFound(id) }
        return endpoint
    }

    private func check(_ url: String) throws {
        do throws(WebhookURLError) {
            _ = try WebhookURL(url, allowsPlain: allowsPrivate)
            guard WebhookURL.isURI(url) else { throw WebhookURLError.notAURI }
        } catch {
            throw Refusal.badURL(error)
        }
    }

    private static func makeKey(_ signature: NewEndpointBody.SignatureVersion) -> WebhookKey {
        switch signature {
        case .symmetric: .makeSecret()
        case .asymmetric: .makePrivateKey()
        }
    }
}

extension Endpoint {
    fileprivate func isVisible(within scope: StoreID?) -> Bool {
        kind == .webhook && (scope == nil || store == scope)
    }
}
