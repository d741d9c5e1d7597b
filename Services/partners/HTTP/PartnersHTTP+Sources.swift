import DeliveryProviders
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Sources, their secrets, and providers' references of deliveries.
extension PartnersHTTP {
    @Sendable func listSources(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context)
        return try jsonResponse(SourcesBody(sources: try await sources.sources(within: scope).map { body(of: $0) }))
    }

    @Sendable func showSource(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context)
        let id = try context.path("id", as: SourceID.self)
        return try jsonResponse(body(of: try await sources.source(id, within: scope)))
    }

    @Sendable func putSource(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: SourceID.self)
        var body = try await request.decode(as: PutSourceBody.self) { body, check in
            check.require(
                DeliveryProvider(rawValue: body.provider) != nil, "provider", "is none that is known",
                allowed: DeliveryProvider.allCases.map(\.rawValue))
            if let name = body.name {
                check.plainText(name, "name", charactersMax: 40)
                check.require(
                    name.utf8.count <= ProviderReport.textBytesMax, "name",
                    "must have at most \(ProviderReport.textBytesMax) bytes")
            }
        }
        guard let provider = DeliveryProvider(rawValue: body.provider) else {
            throw Problem.malformed("provider", "is none that is known")
        }
        body.store = try store(body.store, within: scope)
        let (source, made, isNew) = try await sources.put(id, provider, body, within: scope)
        return try jsonResponse(self.body(of: source, made: made), status: isNew ? .created : .ok)
    }

    @Sendable func deleteSource(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: SourceID.self)
        try await sources.remove(id, within: scope)
        return Response(status: .noContent)
    }

    @Sendable func addSecret(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: SourceID.self)
        let bytes = try await request.bytes()
        let body = bytes.isEmpty ? NewSecretBody() : try await Request.decode(NewSecretBody.self, from: bytes)
        let (source, made) = try await sources.addSecret(body.secret, to: id, within: scope)
        return try jsonResponse(self.body(of: source, made: made), status: .created)
    }

    @Sendable func deleteSecret(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: SourceID.self)
        let secret = try context.path("secret")
        try await sources.removeSecret(secret, of: id, within: scope)
        return Response(status: .noContent)
    }

    private func body(of source: Source, made: Source.Secret? = nil) -> SourceBody {
        SourceBody(
            id: source.id, provider: source.provider.rawValue, name: source.name, store: source.store,
            acceptsTest: source.acceptsTest, url: "\(origin)/in/\(source.id)",
            tokenURL: source.provider.fetchesTokens ? "\(origin)/in/\(source.id)/token" : nil,
            secrets: source.secrets.map { secret in
                SourceBody.Secret(
                    id: secret.id, createdAt: secret.createdAt, secret: secret.id == made?.id ? secret.text : nil)
            }, createdAt: source.createdAt)
    }

    // MARK: Receipts

    @Sendable func listReceipts(_ request: Request, _ context: AppContext) async throws -> Response {
        var filter = ReceiptFilter()
        filter.store = try scope(of: context)
        filter.source = try request.query("source", as: SourceID.self)
        filter.state = try request.query("state", as: ReceiptBody.State.self)
        filter.delivery = try request.query("delivery", as: DeliveryID.self)
        filter.isUnknown = try request.query("unknown", as: BooleanParameter.self) == .true
        filter.before = try request.query("cursor").map { text in
            guard let cursor = ReceiptCursor(text) else {
                throw Problem.malformed("query cursor", "is not one of ours")
            }
            return cursor
        }
        return try jsonResponse(try await readReceipts(filter))
    }

    @Sendable func showReceipt(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context)
        // A webhook may have the numbers of couriers and customers, which are no viewer's to read.
        let showsBody = try context.principal(.store, .operator).may(.dispatcher)
        guard let id = UUID(uuidString: try context.path("id")),
            let receipt = try await readReceipts.receipt(id, within: scope, showsBody: showsBody)
        else { throw Problem.notFound() }
        return try jsonResponse(receipt)
    }

    @Sendable func dismiss(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let identity = try context.require(.store, .operator, as: .supervisor)
        guard let id = UUID(uuidString: try context.path("id")) else { throw Problem.notFound() }
        let body = try await request.decode(as: ReasonBody.self)
        let reason = try body.reason.reason()
        return try jsonResponse(
            try await dismissReceipt(id, by: identity.recordedName, reason: reason, within: scope))
    }

    // MARK: References

    @Sendable func showReferences(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        let delivery = try context.path("id", as: DeliveryID.self)
        return try jsonResponse(
            try await setReference.references(of: delivery, within: try store(of: principal, delivery)))
    }

    @Sendable func putReference(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let delivery = try context.path("id", as: DeliveryID.self)
        let scope = try store(of: principal, delivery)
        let body = try await request.decode(as: ProviderReferenceBody.self) {
            let reference = Receipt.comparedForm(of: $0.reference)
            $1.plainText(reference, "reference", charactersMax: ProviderReport.textBytesMax)
            $1.require(
                reference.utf8.count <= ProviderReport.textBytesMax, "reference",
                "must have at most \(ProviderReport.textBytesMax) bytes")
        }
        // A person who may see both stores decides about a reference that both claim.
        let isPerson = if case .operator = principal.subject { true } else { false }
        let isOfOne = principal.scope.delivery != nil
        return try jsonResponse(
            try await setReference(
                body, of: delivery, within: scope, isOfOne: isOfOne, decides: isPerson && scope == nil && !isOfOne))
    }

    /// The only store whose delivery the caller may name; a token of one delivery names no other.
    private func store(of principal: Principal, _ delivery: DeliveryID) throws -> StoreID? {
        guard principal.scope.delivery.map({ $0 == delivery }) ?? true else { throw Problem.notFound() }
        return principal.scope.store
    }
}

extension ManageSources.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound(let id): .notFound("no source \(id)")
        case .differs(let id):
            .conflict(
                "there is a source \(id) already; its provider stays, and its secret is changed by POST …/secrets",
                slug: "source-differs")
        case .keptElsewhere(let id):
            .conflict(
                "webhooks or references of a former source \(id) of another store are kept; add it by another id",
                slug: "source-differs")
        case .tooMany:
            .unprocessable(
                "the store has \(Source.sourcesMax) already; remove one that is not needed", slug: "too-many-sources")
        case .secretMissing(let provider):
            .malformed("secret", "is missing: \(provider.name) shows it where its webhooks are set up")
        case .badSecret(let fault): .malformed("secret", fault)
        case .noSuchSecret(let id): .notFound("no secret \(id)")
        case .lastSecret:
            .conflict("a source has one secret at least; add another one first", slug: "last-secret")
        }
    }
}

extension SetProviderReference.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .noSource(let id): .notFound("no source \(id)")
        case .inUse(let reference):
            .conflict(
                "\(reference.source) calls another delivery \(reference.reference)", slug: "reference-in-use")
        case .notFound(let id): .notFound("no delivery \(id)")
        case .otherStore(let source, let id):
            .notFound("no delivery \(id) of the store of source \(source); name a source of its own store")
        }
    }
}

extension DismissReceipt.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound(let id): .notFound("no receipt \(id.uuidString.lowercased())")
        case .alreadyApplied:
            .conflict("the receipt was applied: its delivery was told of it", slug: "receipt-applied")
        }
    }
}
