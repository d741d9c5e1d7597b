import Foundation
import StackClient

/// The caller of `partners`: the shop where a store's token is configured, else an operator.
struct PartnersCaller: Sendable {
    let holder: TokenHolder
    private let environment: [String: String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let hasStore = TokenHolder.store.path(in: environment) != nil
        let hasOperator = TokenHolder.operator.path(in: environment) != nil
        holder = hasOperator && !hasStore ? .operator : .store
        self.environment = environment
    }

    /// - Throws: `CommandFailure` when the token's file cannot be read, or the address is none.
    func client() throws -> PeerClient { try PeerClient(.partners, as: holder, environment: environment) }

    /// The token that the file holds now.
    ///
    /// - Throws: `CommandFailure` of kind not allowed when the file cannot be read.
    func token() throws -> String { try holder.token(environment: environment) }
}
