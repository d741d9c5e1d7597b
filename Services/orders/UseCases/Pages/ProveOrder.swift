import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Accepts an order's number as the proof that the holder of a link is its customer, who may then press.
///
/// A link may be forwarded, and a preview may open it: alone it only shows. The number is on the customer's receipt,
/// and pages show it only to readers who entered it.
struct ProveOrder: Sendable {
    let pool: PostgresPool
    let signer: LinkSigner
    let clock: DomainClock

    enum Refusal: Error, Hashable, Sendable {
        /// No number was given, which is no attempt.
        case noReference
        case wrongReference
        /// Too many wrong attempts; further ones are refused until this time.
        case tooManyAttempts(until: Date)
    }

    /// Attempts of one address at one order in one window, and wrong ones at all orders.
    static let attemptsMax = 5
    static let addressAttemptsMax = 20

    /// - Parameter address: of the reader: attempts are counted per address, and lock no other reader out.
    /// - Returns: the proof, for the browser to keep.
    func callAsFunction(_ reference: String, of delivery: Delivery, from address: String) async throws -> String {
        guard !Self.plain(reference).isEmpty else { throw Refusal.noReference }
        let now = clock.now
        let ofOrder = "\(address) \(delivery.order)"
        for (guesser, attemptsMax) in [(ofOrder, Self.attemptsMax), (address, Self.addressAttemptsMax)] {
            let lockedUntil = try await ReferenceAttempts.count(guesser, attemptsMax: attemptsMax, at: now, on: pool)
            if let lockedUntil { throw Refusal.tooManyAttempts(until: lockedUntil) }
        }
        guard Self.isSame(reference, delivery.reference) else { throw Refusal.wrongReference }
        try await ReferenceAttempts.forget(ofOrder, on: pool)
        try await ReferenceAttempts.uncount(address, on: pool)
        return signer.proof(of: delivery.order, at: now)
    }

    /// Whether a person typed this number: without regard to case, spaces and a leading #.
    static func isSame(_ typed: String, _ reference: String) -> Bool {
        plain(typed) == plain(reference)
    }

    private static func plain(_ text: String) -> String {
        let folded = text.lowercased().filter { !$0.isWhitespace }
        return folded.hasPrefix("#") ? String(folded.dropFirst()) : folded
    }
}
