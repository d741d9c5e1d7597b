import OrderDomain

/// A person of a delivery whom an operator may call.
struct Contact: Hashable, Sendable {
    let name: String
    /// As it was given.
    let phone: String
    /// Calls the number; nil where it has no digit.
    var url: String? { PhoneLink(phone)?.url }

    /// The person's part in the delivery.
    enum Subject: String, CaseIterable, Sendable {
        case customer, courier
        /// The former courier, who has the goods until the present one has fetched them.
        case carrier

        /// The entry about a reader of the number in the delivery's timeline.
        var accessSummary: String { "saw the \(rawValue)'s number" }
    }

    /// Nil where the delivery has no number of that person.
    init?(_ subject: Subject, of record: DeliveryRecord, opening box: PersonalDataBox) {
        switch subject {
        case .customer:
            guard let recipient = record.dropOff?.recipient, let phone = recipient.phone else { return nil }
            name = recipient.name
            self.phone = phone
        case .courier, .carrier:
            let one = subject == .courier ? record.delivery.courier : record.delivery.fetchedFrom
            guard let one, let phone = box.phone(of: one) else { return nil }
            name = one.name
            self.phone = phone
        }
    }
}
