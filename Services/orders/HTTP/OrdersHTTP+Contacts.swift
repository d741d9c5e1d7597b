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
        let contacts = try await readContacts(of: ids, only.map { [$0] } ?? Contact.Subject.allCases, for: principal)
        for one in contacts {
            AnsweredPersons.current?.name(
                Persons(
                    customer: only == .courier ? nil : one.delivery.customer, delivery: one.delivery.id,
                    courier: only == .customer ? nil : one.delivery.courier?.id))
        }
        return try jsonResponse(
            ContactsBody(
                contacts: contacts.map { one in
                    .init(
                        delivery: one.delivery.id, customer: one.customer.map { .init($0) },
                        courier: one.courier.map { .init($0) })
                })
        ).confidential()
    }
}

extension ContactsBody.Person {
    fileprivate init(_ contact: Contact) { self.init(name: contact.name, phone: contact.phone, url: contact.url) }
}
