internal import Foundation
internal import OrderDomain

extension OrderBody: PersonalAnswer {
    public var persons: Persons {
        var all = Persons(customer: customer)
        for delivery in deliveries { all.add(delivery.persons) }
        all.objects = 1
        return all
    }
}

extension OrdersBody: PersonalAnswer {
    public var persons: Persons { Persons(orders.map(\.persons)) }
}

extension DeliveryBody: PersonalAnswer {
    public var persons: Persons { Persons(customer: customer, delivery: id, courier: courier?.id) }
}

extension PreviewBody: PersonalAnswer {
    public var persons: Persons { delivery.persons }
}

extension BoardBody: PersonalAnswer {
    public var persons: Persons { Persons(deliveries.map(\.persons)) }
}

extension BoardBody.Row: PersonalAnswer {
    public var persons: Persons { Persons(customer: customer, delivery: id, courier: courier) }
}

extension TimelineBody: PersonalAnswer {
    public var persons: Persons { Persons(delivery: delivery) }
}

extension TimelinePageBody: PersonalAnswer {
    public var persons: Persons { Persons(rows.map { Persons(delivery: $0.delivery, courier: $0.courier) }) }
}

extension DayReportBody: PersonalAnswer {
    /// The couriers whose numbers it has.
    public var persons: Persons { Persons(couriers.map { Persons(courier: $0.courier) }) }
}

extension ContactsBody: PersonalAnswer {
    /// Without the people, whom the route names.
    public var persons: Persons { Persons(contacts.map { Persons(delivery: $0.delivery) }) }
}

extension PersonRequestBody: PersonalAnswer {
    /// The person of an archive alone: the id of an erasure goes while the request is read, and a running export may
    /// find that the person was erased before.
    public var persons: Persons {
        archive == nil ? Persons() : Persons(customer: customer, courier: courier)
    }
}

extension CouriersBody: PersonalAnswer {
    public var persons: Persons { Persons(couriers.map { Persons(courier: $0.courier) }) }
}

extension CourierPositionBody: PersonalAnswer {
    public var persons: Persons {
        var all = Persons(courier: courier)
        all.deliveries.formUnion(deliveries.map(\.rawValue))
        return all
    }
}

extension CourierPositionsBody: PersonalAnswer {
    public var persons: Persons { Persons(positions.map(\.persons)) }
}

extension TripPreviewBody: PersonalAnswer {
    public var persons: Persons {
        var all = Persons(courier: courier)
        all.deliveries.formUnion(stops.map(\.delivery.rawValue))
        return all
    }
}

extension EstimateBody: PersonalAnswer {
    public var persons: Persons { Persons(delivery: delivery) }
}

extension PhonesBody: PersonalAnswer {
    public var persons: Persons { Persons(phones.map { Persons(courier: $0.courier) }) }
}

extension DutyBody: PersonalAnswer {
    public var persons: Persons { Persons(courier: courier) }
}

extension ActivityBody: PersonalAnswer {
    public var persons: Persons { Persons(customer: customer, delivery: delivery) }
}

extension ActivitiesBody: PersonalAnswer {
    public var persons: Persons {
        Persons(activities.map(\.persons) + (phones ?? []).map { Persons(customer: $0.customer) })
    }
}

extension DevicesBody: PersonalAnswer {
    public var persons: Persons { Persons(devices.map { Persons(customer: $0.customer) }) }
}

extension ReceiptBody: PersonalAnswer {
    public var persons: Persons { Persons(delivery: delivery) }
}

extension ReceiptsBody: PersonalAnswer {
    public var persons: Persons { Persons(receipts.map(\.persons)) }
}

extension ProviderReferencesBody: PersonalAnswer {
    public var persons: Persons { references.isEmpty ? Persons([]) : Persons(delivery: delivery) }
}

extension EventDeliveryBody: PersonalAnswer {
    public var persons: Persons { Persons(delivery: delivery) }
}

extension EventDeliveriesBody: PersonalAnswer {
    public var persons: Persons { Persons(deliveries.map(\.persons)) }
}

extension DeadLetterBody: PersonalAnswer {
    /// The deliveries that it is about; an activity's id begins with its delivery's.
    public var persons: Persons {
        let ids =
            (about?.components(separatedBy: ", ") ?? []) + subject.split(separator: ".").suffix(1).map(String.init)
        var all = Persons()
        all.deliveries = Set(ids.compactMap { DeliveryID(rawValue: String($0.prefix(36)))?.rawValue })
        return all
    }
}

extension DeadLettersBody: PersonalAnswer {
    public var persons: Persons { Persons(deadLetters.map(\.persons)) }
}

extension PersonalReadsBody: PersonalAnswer {
    public var persons: Persons { Persons(reads.map { _ in Persons() }) }
}
