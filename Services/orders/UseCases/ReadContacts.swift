import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient

/// Reads the numbers of deliveries' customers and couriers, and records in the timelines who was given which.
struct ReadContacts: Sendable {
    /// Domain seconds in which repeated readings of a number by one person are one entry.
    static let spanSeconds = 30.0 * 60

    let pool: PostgresPool
    let clock: DomainClock
    let personalData: PersonalDataBox

    /// The people of one delivery, without those of whom it has no number, or none was asked for.
    struct Contacts: Sendable {
        let delivery: Delivery
        let people: [Contact.Subject: Contact]
    }

    /// The deliveries that the reader may see, each with the people of `subjects`.
    ///
    /// The entry is written before a number is given.
    func callAsFunction(
        of ids: [DeliveryID], _ subjects: [Contact.Subject], for reader: Principal
    ) async throws -> [Contacts] {
        let records = try await ContactRepository.records(of: ids, opening: personalData, on: pool)
            .filter { reader.sees($0.delivery) }
        let contacts = records.map { record in
            let people = subjects.compactMap { subject in
                Contact(subject, of: record, opening: personalData).map { (subject, $0) }
            }
            return Contacts(delivery: record.delivery, people: Dictionary(uniqueKeysWithValues: people))
        }
        let accesses = contacts.flatMap { one in
            subjects.filter { one.people[$0] != nil }
                .map { ContactRepository.Access(delivery: one.delivery.id, what: $0.accessSummary) }
        }
        let now = clock.now
        if !accesses.isEmpty {
            try await ContactRepository.record(
                accesses, by: reader.recordedName, at: now, since: now.addingTimeInterval(-Self.spanSeconds), on: pool)
        }
        return contacts
    }
}
