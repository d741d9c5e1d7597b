import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The numbers that operators call, which are in no other answer to them.
extension OrdersHTTP {
    @Sendable func showContacts(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, as: .dispatcher)
        guard let ids = try request.deliveryIDs() else {
            throw Problem.malformed("query ids", "must be deliveries' ids, separated by commas")
        }
        let only = try request.query("of", as: Contact.Subject.self)
        let subjects = only.map { [$0] } ?? Contact.Subject.allCases
        let contacts = try await readContacts(of: ids, subjects, for: principal)
        for one in contacts {
            var persons = Persons(delivery: one.delivery.id)
            for subject in subjects {
                switch subject {
                case .customer: persons.add(Persons(customer: one.delivery.customer))
                case .courier: persons.add(Persons(courier: one.delivery.courier?.id))
                case .carrier: persons.add(Persons(courier: one.delivery.fetchedFrom?.id))
                }
            }
            AnsweredPersons.current?.name(persons)
        }
        return try jsonResponse(
            ContactsBody(
                contacts: contacts.map { one in
                    .init(
                        delivery: one.delivery.id, customer: one.people[.customer].map { .init($0) },
                        courier: one.people[.courier].map { .init($0) },
                        carrier: one.people[.carrier].map { .init($0) })
                })
        ).confidential()
    }
}

extension ContactsBody.Person {
    fileprivate init(_ contact: Contact) { self.init(name: contact.name, phone: contact.phone, url: contact.url) }
}
