import Foundation
import Messages
import OrderDomain

/// A request to export a person's data over all services, and how far it is.
struct PersonExport: Hashable, Sendable {
    let id: UUID
    let person: RequestedPerson
    /// The store whose token made it, and whose records it has; nil for the whole shop.
    let store: StoreID?
    let requestedBy: String
    /// Domain time; deliveries that are placed later are not in it.
    let requestedAt: Date
    /// Domain time of the last erasure of a courier with the id: what was done before is of another person.
    var since: Date?
    let finishedAt: Date?
    var receipts = PersonRequest.Receipts()

    /// Domain seconds after its end for which a repeat returns it.
    static let repeatSeconds: TimeInterval = 3_600
}

extension RequestedPerson {
    var kind: PersonRequest.Person {
        switch self {
        case .customer: .customer
        case .courier: .courier
        }
    }

    /// Nil for a courier.
    var customer: CustomerID? {
        guard case .customer(let id) = self else { return nil }
        return id
    }

    /// Nil for a customer.
    var courier: CourierID? {
        guard case .courier(let id) = self else { return nil }
        return id
    }
}

extension PersonRequest.Receipts {
    /// The chunks that are stored: the number of the newest.
    var chunks: Int { services.values.reduce(0) { $0 + ($1.chunks ?? 0) } }

    /// The receipt of a service, or this service's own for nil.
    subscript(exporting service: ErasingService?) -> PersonRequest.Receipt {
        get { service.map { self[$0] } ?? own }
        set {
            guard let service else { return own = newValue }
            self[service] = newValue
        }
    }
}

extension PersonRequest.Receipt {
    /// Counts a chunk of a part of an export.
    mutating func add(_ chunk: ExportChunk, of part: Part) {
        if let section = chunk.section {
            rows[section.rawValue, default: 0] += chunk.records.count
            chunks = (chunks ?? 0) + 1
        }
        failure = nil
        cursor = chunk.next
        self.part = chunk.next == nil ? nil : part
        guard chunk.next == nil else { return }
        if let last = part.deliveries.last { position = last.rawValue }
        isDone = part.isLast
    }
}

extension RequestedPerson {
    /// Data of the person that their archive does not have, and why.
    var leftOut: [String] {
        switch self {
        case .customer: Self.leftOutOfCustomers
        case .courier: Self.leftOutOfCouriers
        }
    }

    private static let leftOutOfCouriers = [
        "Tokens of phones, and the link to your page: they are credentials.",
        "Customers: their names, numbers, addresses, doors, baskets, notes, photos and words, and the numbers of their "
            + "orders, by which an order is found.",
        "Names of other couriers, of operators and of the shop's staff: they are other persons' data.",
        "Reasons that operators, the shop and providers give each other, and the texts of operators' notes: they may "
            + "name other persons. Your own reasons are with what you did.",
        "Deliveries that another courier has had since: what you did in them is here.",
        "When others assigned deliveries to you or took them back, and where a delivery of another courier names you "
            + "besides: as who had its goods before, checked something at the door, or was reported by a provider.",
        "What checks at the door found: it is about the customer. Your positions show where you were when you handed over.",
        "In a store's archive positions, duties, phones and whether maps show you, the shop's description and other stores' "
            + "deliveries and descriptions: they are not the store's.",
        "Who enrolled or revoked your phones, and who hid you from maps: they are other persons.",
        "Estimated and detected arrivals: they are of the deliveries, and their customers'.",
        "What the estimates have learned from rides: it has no delivery, no place and of you no more than a number.",
        "The texts of webhooks, and what customers' cards showed: they are of deliveries and have their customers too; "
            + "of you they have the name, number and positions that are here.",
        "Messages that a service could not handle, until 30 days after a person has settled them; the shop has them.",
        "Who of the shop read which data: it names other persons; the shop's supervisors can search it.",
        "Earlier requests to export or to erase, which name the person who asked; customers' archives, for their seven "
            + "days.",
        "Copies that expire within days: messages between services, answers to repeated requests, logs, back-ups.",
    ]

    private static let leftOutOfCustomers = [
        "Tokens, links and PINs: they are credentials.",
        "Names of operators and of the shop's staff, and in the records of deliveries those of couriers before pickup: "
            + "they are other persons' data. Cards name the assigned courier, and what they showed is here.",
        "Reasons that operators, the shop, couriers and providers give, and the texts of operators' notes: they may "
            + "name other persons.",
        "Positions of couriers: a page shows them while a courier is near, and nothing of that is stored.",
        "Photos and signatures that the store does not show to its customers: their records name that.",
        "The texts of webhooks: those of delivery providers name couriers, their numbers and positions; those to the "
            + "shop's systems repeat deliveries and their changes.",
        "Contents of pushes above 64 KB.",
        "What a card is to show next, and attempts to send events: the pushes and the events are here.",
        "Messages that a service could not handle, until 30 days after a person has settled them; the shop has them.",
        "The network address of a wrong order's number, for a day; it is of no customer.",
        "Who of the shop read which data: it names other persons; the shop's supervisors can search it.",
        "Earlier requests to export or to erase, which name the person who asked.",
        "Copies that expire within days: messages between services, answers to repeated requests, logs, back-ups.",
    ]
}
