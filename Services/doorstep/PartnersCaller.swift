import CommandOutput
import Foundation
import StackClient

/// The caller of `partners`: the shop where a store's token is configured, else an operator.
struct PartnersCaller: Sendable {
    let holder: TokenHolder
    /// The note that a list or a not-found is of the store's view, where an operator's token is set too; nil otherwise.
    let viewNote: String?
    private let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let (store, staff) = (TokenHolder.store.path(in: environment), TokenHolder.operator.path(in: environment))
        holder = staff != nil && store == nil ? .operator : .store
        // With the operator's file in both variables nothing is hidden from the operator.
        let isNarrower = store != nil && staff != nil && store != staff
        let remedy = "\(TokenHolder.store.variable)= before the command uses the operator's"
        viewNote = isNarrower ? "this is what the store's token sees; \(remedy)" : nil
        self.environment = environment
    }

    /// The answer of `partners` to a request; where it finds nothing, standard error has the note on the view too.
    ///
    /// - Throws: `CommandFailure` when the token's file cannot be read, or the address is none; the error of `request`.
    func ask<Answer>(_ request: (PeerClient) async throws -> Answer) async throws -> Answer {
        do {
            return try await request(client())
        } catch let failure as CommandFailure where failure.kind == .notFound {
            if let viewNote { CommandFailure.complain(viewNote) }
            throw failure
        }
    }

    /// A list of what the caller sees, with the note on the view on standard error.
    ///
    /// - Throws: as ``ask(_:)``.
    func list<Body: Decodable & Sendable>(
        _ path: String, query: [(name: String, value: String?)] = [], as type: Body.Type = Body.self
    ) async throws -> Body {
        let list: Body = try await ask { try await $0.get(path, query: query) }
        if let viewNote { CommandFailure.complain(viewNote) }
        return list
    }

    /// - Throws: `CommandFailure` when the token's file cannot be read, or the address is none.
    func client() throws -> PeerClient { try PeerClient(.partners, as: holder, environment: environment) }

    /// The token that the file holds now.
    ///
    /// - Throws: `CommandFailure` of kind not allowed when the file cannot be read.
    func token() throws -> String { try holder.token(environment: environment) }
}
