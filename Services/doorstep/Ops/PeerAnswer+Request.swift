import CommandOutput
import DeliveryDiagnosis

extension PeerAnswer {
    /// Sends a request whose absence of an answer is a result, not an error.
    ///
    /// - Throws: `CommandFailure` only for the caller's own faults, such as an invalid token.
    static func request(_ send: () async throws -> Body) async throws -> PeerAnswer<Body> {
        do {
            return .body(try await send())
        } catch let failure as CommandFailure {
            switch failure.kind {
            case .notFound: return .notFound
            case .unavailable: return .unavailable(reason: failure.message)
            case .usage, .notAllowed, .conflict, .interrupted: throw failure
            }
        }
    }
}
