internal import Foundation

/// The signed tokens in use, one for each push service.
///
/// Bounded, since subscribers choose the services; the least recently used token is evicted.
struct VAPIDTokenCache {
    /// Browsers' makers have four services.
    static let tokensMax = 32
    /// Seconds from a token's signature to its expiry: half of the allowed time, for differing clocks.
    ///
    /// - Source: RFC 8292, section 2: 24 hours at most.
    static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds after which another is signed, an hour before the expiry.
    static let renewal: TimeInterval = 11 * 3_600

    private struct Entry {
        let authorization: String
        let issuedAt: Date
        var lastUse: UInt64
    }

    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    var count: Int { entries.count }

    /// The Authorization header for this origin; nil where a new token has to be signed.
    ///
    /// A token issued in the future was signed before the clock was set back: its expiry may be too far away.
    mutating func authorization(for origin: String, at now: Date) -> String? {
        guard let entry = entries[origin], (0..<Self.renewal).contains(now.timeIntervalSince(entry.issuedAt)) else {
            return nil
        }
        uses += 1
        entries[origin]?.lastUse = uses
        return entry.authorization
    }

    mutating func keep(_ authorization: String, for origin: String, issuedAt: Date) {
        if entries[origin] == nil, entries.count >= Self.tokensMax,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        uses += 1
        entries[origin] = Entry(authorization: authorization, issuedAt: issuedAt, lastUse: uses)
    }
}
