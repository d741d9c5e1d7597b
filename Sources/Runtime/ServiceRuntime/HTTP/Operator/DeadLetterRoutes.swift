internal import DoorstepAPI
internal import Foundation
package import Hummingbird
package import ReliableMessaging

/// Lists, retries and drops a service's dead letters for operators; the same in every service.
package struct DeadLetterRoutes: Sendable {
    private let deadLetters: DeadLetters
    private let wakeRelay: @Sendable () -> Void

    package init(_ deadLetters: DeadLetters, wakeRelay: @escaping @Sendable () -> Void) {
        self.deadLetters = deadLetters
        self.wakeRelay = wakeRelay
    }

    package func addRoutes(to router: Router<AppContext>) {
        let group = router.group("v1/admin/dead-letters")
        group.get(use: list)
        group.get("{id}", use: show)
        group.post("{id}/retry", use: retry)
        group.post("{id}/drop", use: drop)
    }

    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator)
        let cursor = try request.query("cursor").map { text in
            guard let id = UUID(uuidString: text) else { throw Problem.malformed("query cursor", "is not one of ours") }
            return id
        }
        let page = try await deadLetters.list(state: .open, after: cursor)
        return try jsonResponse(
            DeadLettersBody(
                deadLetters: page.deadLetters.map { DeadLetterBody($0, withPayload: false) },
                next: page.next?.uuidString.lowercased()))
    }

    @Sendable func show(_ request: Request, _ context: AppContext) async throws -> Response {
        // A message may have a customer's link, or a courier's number.
        try context.requireUnrestricted(.operator, as: .supervisor)
        return try jsonResponse(DeadLetterBody(try await found(context), withPayload: true))
    }

    @Sendable func retry(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator, as: .supervisor)
        let letter = try await found(context)
        try await deadLetters.retry(letter.id)
        wakeRelay()
        return try jsonResponse(DeadLetterBody(try await found(context), withPayload: false))
    }

    @Sendable func drop(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.requireUnrestricted(.operator, as: .supervisor)
        let body = try await request.decode(as: ReasonBody.self)
        let reason = try body.reason.reason()
        let letter = try await found(context)
        try await deadLetters.drop(letter.id, reason: "\(identity.recordedName): \(reason)")
        return try jsonResponse(DeadLetterBody(try await found(context), withPayload: false))
    }

    private func found(_ context: AppContext) async throws -> DeadLetter {
        let text = try context.path("id")
        guard let id = UUID(uuidString: text), let letter = try await deadLetters.show(id) else {
            throw Problem.notFound("no dead letter \(text)")
        }
        return letter
    }
}

extension DeadLetterError: ProblemConvertible {
    package var problem: Problem {
        switch self {
        case .notFound: .notFound("no such dead letter")
        case .notOpen(let state):
            .conflict("the dead letter is \(state.rawValue) already", slug: "dead-letter-settled")
        case .tooOld:
            .conflict("the message is older than the ended deliveries that are kept", slug: "dead-letter-too-old")
        }
    }
}

extension DeadLetterBody {
    init(_ letter: DeadLetter, withPayload: Bool) {
        self.init(
            id: letter.id.uuidString.lowercased(), subject: letter.subject, about: letter.about, error: letter.error,
            attempts: letter.attempts, occurredAt: letter.occurredAt, state: letter.state.rawValue,
            payload: withPayload ? letter.text : nil)
    }
}
