import DomainTime
import DoorstepAPI
import OrderDomain
import PostgresClient

/// Enrols, lists and revokes couriers' phones.
struct ManagePhones: Sendable {
    /// Phones of one courier that may send at once.
    static let phonesMax = 8

    let pool: PostgresPool
    let clock: DomainClock
    let cache: PhoneCache

    /// The courier has ``phonesMax`` phones that may send.
    struct TooManyPhones: Error {}

    /// A courier's phones, newest first, revoked ones too.
    func phones(of courier: CourierID) async throws -> [Phone] {
        try await PhoneRepository.phones(of: courier, on: pool)
    }

    /// - Returns: the phone, and its token, of which only the hash is stored.
    /// - Throws: ``TooManyPhones``.
    func enrol(
        _ app: TrackerApp?, label: String?, of courier: CourierID, by subject: String
    ) async throws -> (phone: Phone, token: PhoneToken) {
        var random = SystemRandomNumberGenerator()
        let token = PhoneToken.generate(using: &random)
        let now = clock.now
        let phone = Phone(
            id: PhoneID(enrolledAt: now, random: random.next()), courier: courier, app: app, label: label,
            enrolledAt: now, enrolledBy: subject)
        try await pool.withTransaction(retriesMax: 3) { transaction in
            let count = try await PhoneRepository.lockCount(of: courier, in: transaction)
            guard count < Self.phonesMax else { throw TooManyPhones() }
            try await PhoneRepository.insert(phone, tokenHash: token.hash, on: transaction)
        }
        return (phone, token)
    }

    /// Revokes a phone; a repeat keeps the first time and subject.
    ///
    /// - Returns: nil when the courier has no such phone.
    func revoke(_ id: PhoneID, of courier: CourierID, by subject: String) async throws -> Phone? {
        let revoked = try await PhoneRepository.revoke(id, of: courier, at: clock.now, by: subject, on: pool)
        if revoked != nil { cache.forget([id]) }
        return revoked
    }
}
