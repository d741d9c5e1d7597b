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
        /// - Parameter attemptsLeft: further attempts until none are accepted for a while.
        case wrongReference(attemptsLeft: Int)
        /// Too many wrong attempts; further ones are refused until this time.
        case tooManyAttempts(until: Date)
    }

    /// Attempts of one address at one order in one window, and wrong ones at all orders.
    static let attemptsMax = 5
    static let addressAttemptsMax = 20
    /// Wrong attempts at one order from all addresses in a day.
    ///
    /// Above it an address may give the whole number, letters included, as its first attempt: digits alone are soon
    /// guessed from many addresses, and no guesser shuts a customer out.
    static let orderAttemptsMax = 20

    /// - Parameter address: of the reader: attempts are counted per address, and lock no other reader out.
    /// - Returns: the proof, for the browser to keep.
    func callAsFunction(_ reference: String, of delivery: Delivery, from address: String) async throws -> String {
        guard !Self.plain(reference).isEmpty else { throw Refusal.noReference }
        let now = clock.now
        let ofOrder = "\(address) \(delivery.order)"
        let ofAll = ReferenceAttempts.guesser(of: delivery.order)
        var attemptsLeft = Self.attemptsMax
        var isFirst = false
        for (guesser, attemptsMax) in [(ofOrder, Self.attemptsMax), (address, Self.addressAttemptsMax)] {
            switch try await ReferenceAttempts.count(guesser, attemptsMax: attemptsMax, at: now, on: pool) {
            case .counted(let attempts):
                attemptsLeft = min(attemptsLeft, attemptsMax - attempts)
                if guesser == ofOrder { isFirst = attempts == 1 }
            case .lockedOut(let until): throw Refusal.tooManyAttempts(until: until)
            }
        }
        let isRight: Bool
        switch try await ReferenceAttempts.count(
            ofAll, attemptsMax: Self.orderAttemptsMax, windowSeconds: ReferenceAttempts.orderWindowSeconds, at: now,
            on: pool)
        {
        case .counted(let attempts):
            attemptsLeft = min(attemptsLeft, Self.orderAttemptsMax - attempts)
            isRight = Self.isSame(reference, delivery.reference)
            if isRight { try await ReferenceAttempts.uncount(ofAll, on: pool) }
        case .lockedOut:
            guard isFirst else {
                throw Refusal.tooManyAttempts(until: now.addingTimeInterval(ReferenceAttempts.windowSeconds))
            }
            attemptsLeft = 0
            isRight = Self.split(Self.plain(reference)) == Self.split(Self.plain(delivery.reference))
        }
        guard isRight else { throw Refusal.wrongReference(attemptsLeft: max(0, attemptsLeft)) }
        try await ReferenceAttempts.forget(ofOrder, on: pool)
        try await ReferenceAttempts.uncount(address, on: pool)
        return signer.proof(of: delivery.order, at: now)
    }

    /// Whether a person typed this number: without regard to case, spaces, its digits' script and a leading #, and with
    /// the part before its first digit or without, since a link is about one order.
    static func isSame(_ typed: String, _ reference: String) -> Bool {
        let (typed, reference) = (plain(typed), plain(reference))
        if typed == reference { return true }
        let (own, other) = (split(typed), split(reference))
        guard !other.number.isEmpty, own.number == other.number else { return false }
        return own.letters.isEmpty || own.letters == other.letters
    }

    /// The letters before the first digit, and the rest from that digit on: `g` and `1042` of `g-1042`.
    private static func split(_ text: String) -> (letters: String, number: String) {
        let prefix = text.prefix { !$0.isNumber }
        return (prefix.filter(\.isLetter), String(text.dropFirst(prefix.count)))
    }

    private static func plain(_ text: String) -> String {
        let folded = text.lowercased().filter { !$0.isWhitespace }.withLatinDigits
        return folded.hasPrefix("#") ? String(folded.dropFirst()) : folded
    }
}
