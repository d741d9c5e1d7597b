import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import TextCoding

/// Manages the provider accounts whose webhooks the service accepts, and their secrets.
struct ManageSources: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let box: SecretBox
    let cache: SourceCache
    let makeUUID: @Sendable () -> UUID

    enum Refusal: Error, Hashable {
        case notFound(SourceID)
        /// There is one of this id with another provider, or of another store than the caller's.
        case differs(SourceID)
        /// A former source of this id was of another store, whose receipts or references are kept: the new one's
        /// webhooks would count as repeats, or be reports of the other store's deliveries.
        case keptElsewhere(SourceID)
        /// The store has reached the limit of sources.
        case tooMany
        case secretMissing(DeliveryProvider)
        case badSecret(String)
        case noSuchSecret(String)
        case lastSecret
    }

    /// Adds a source, or changes the source of this id; every replica uses a change when this returns.
    ///
    /// A repeat that changes nothing does not wait; it encrypts the source's secrets by the present key.
    /// - Parameter scope: the only store of the source; nil for all.
    /// - Returns: the source, and its new secret where one was made.
    func put(
        _ id: SourceID, _ provider: DeliveryProvider, _ body: PutSourceBody, within scope: StoreID?
    ) async throws -> (source: Source, made: Source.Secret?, isNew: Bool) {
        let now = clock.now
        let secret = try body.secret.map { try checked($0, of: provider) } ?? provider.makeSecret()
        typealias Put = (source: Source, made: Source.Secret?, isNew: Bool, isChanged: Bool)
        let result: Put = try await pool.withTransaction(retriesMax: 3) { transaction in
            if let present = try await SourceRepository.source(id, by: box, on: transaction) {
                let isTheirs = scope == nil || present.store == scope
                // A repeat, whose first answer was lost, names a stored secret.
                let isSecretThere = body.secret.map(present.texts.contains) ?? true
                guard present.provider == provider, isTheirs, isSecretThere else { throw Refusal.differs(id) }
                let source = Source(
                    id: id, provider: provider, name: body.name, store: body.store,
                    acceptsTest: body.acceptsTest ?? false, secrets: present.secrets, createdAt: present.createdAt)
                if source.store != present.store { try await makeRoom(for: source, in: transaction) }
                try await SourceRepository.update(source, in: transaction)
                try await SourceRepository.reseal(id, by: box, in: transaction)
                return (source, nil, false, source != present)
            }
            guard let secret else { throw Refusal.secretMissing(provider) }
            let first = Source.Secret(id: makeSecretID(), text: secret, createdAt: now)
            let source = Source(
                id: id, provider: provider, name: body.name, store: body.store,
                acceptsTest: body.acceptsTest ?? false, secrets: [first], createdAt: now)
            guard try await !ReceiptRepository.hasReceipts(of: id, notOf: body.store, in: transaction),
                try await !SourceRepository.hasReferences(of: id, notOf: body.store, in: transaction)
            else { throw Refusal.keptElsewhere(id) }
            try await makeRoom(for: source, in: transaction)
            guard try await SourceRepository.insert(source, in: transaction) else { throw Refusal.differs(id) }
            try await SourceRepository.deleteReferences(ofOthersThan: source, in: transaction)
            try await SourceRepository.insert(first, of: id, by: box, in: transaction)
            return (source, body.secret == nil ? first : nil, true, false)
        }
        if result.isChanged { await cache.settle() }
        return (result.source, result.made, result.isNew)
    }

    private func makeRoom(for source: Source, in transaction: PostgresTransaction) async throws {
        guard let store = source.store else { return }
        let count = try await SourceRepository.lockCount(of: store, in: transaction)
        guard count < Source.sourcesMax else { throw Refusal.tooMany }
    }

    /// Adds a secret to the present ones, which is valid when this returns; beyond the limit the oldest is revoked.
    ///
    /// A secret that the source has already is not added again: the request is a repeat. A repeat without a secret,
    /// after a lost answer, makes one more, and the secret that the provider uses stays valid, also after its
    /// encryption key is dropped.
    func addSecret(
        _ text: String?, to id: SourceID, within scope: StoreID?
    ) async throws -> (source: Source, made: Source.Secret?) {
        let result: (source: Source, made: Source.Secret?) = try await pool.withTransaction(retriesMax: 3) {
            transaction in
            let source = try await locked(id, within: scope, in: transaction)
            try await SourceRepository.reseal(id, by: box, in: transaction)
            guard let secret = try text.map({ try checked($0, of: source.provider) }) ?? source.provider.makeSecret()
            else { throw Refusal.secretMissing(source.provider) }
            if source.secrets.contains(where: { $0.text == secret }) { return (source, nil) }
            let added = Source.Secret(id: makeSecretID(), text: secret, createdAt: clock.now)
            try await SourceRepository.insert(added, of: id, by: box, in: transaction)
            let changed = try await SourceRepository.source(id, by: box, on: transaction) ?? source
            return (changed, text == nil ? added : nil)
        }
        await cache.settle()
        return result
    }

    /// Revokes a secret; no replica accepts it when this returns.
    func removeSecret(_ secret: String, of id: SourceID, within scope: StoreID?) async throws {
        try await pool.withTransaction(retriesMax: 3) { transaction in
            let source = try await locked(id, within: scope, in: transaction)
            guard source.secrets.contains(where: { $0.id == secret }) else { throw Refusal.noSuchSecret(secret) }
            guard source.secrets.count > 1 else { throw Refusal.lastSecret }
            try await SourceRepository.deleteSecret(secret, of: id, in: transaction)
        }
        await cache.settle()
    }

    /// Deletes a source; no replica accepts its webhooks when this returns, and its references are kept.
    func remove(_ id: SourceID, within scope: StoreID?) async throws {
        _ = try await source(id, within: scope)
        try await SourceRepository.delete(id, on: pool)
        await cache.settle()
    }

    func source(_ id: SourceID, within scope: StoreID?) async throws -> Source {
        guard let source = try await SourceRepository.source(id, by: box, on: pool),
            scope == nil || source.store == scope
        else { throw Refusal.notFound(id) }
        return source
    }

    func sources(within scope: StoreID?) async throws -> [Source] {
        try await SourceRepository.sources(of: scope, by: box, on: pool)
    }

    private func locked(
        _ id: SourceID, within scope: StoreID?, in transaction: PostgresTransaction
    ) async throws -> Source {
        guard try await SourceRepository.lock(id, in: transaction),
            let source = try await SourceRepository.source(id, by: box, on: transaction),
            scope == nil || source.store == scope
        else { throw Refusal.notFound(id) }
        return source
    }

    private func checked(_ secret: String, of provider: DeliveryProvider) throws -> String {
        if let fault = provider.fault(ofSecret: secret) { throw Refusal.badSecret(fault) }
        return secret
    }

    private func makeSecretID() -> String { "sec_" + makeUUID().uuidString.lowercased() }
}
