public import OrderDomain

/// The answer of `GET /v1/contacts`: the people of deliveries whom an operator may call.
///
/// That an operator read a number is in the delivery's timeline, once in half an hour.
public struct ContactsBody: Codable, Hashable, Sendable {
    /// In the order of the deliveries' ids; unknown deliveries are omitted.
    public let contacts: [Row]

    public init(contacts: [Row]) { self.contacts = contacts }

    /// The people of one delivery; nil where the order has no number of theirs.
    public struct Row: Codable, Hashable, Sendable {
        public let delivery: DeliveryID
        /// The recipient.
        public let customer: Person?
        public let courier: Person?
        /// The former courier, who has the goods until the present one has fetched them.
        public let carrier: Person?

        public init(delivery: DeliveryID, customer: Person?, courier: Person?, carrier: Person? = nil) {
            self.delivery = delivery
            self.customer = customer
            self.courier = courier
            self.carrier = carrier
        }
    }

    public struct Person: Codable, Hashable, Sendable {
        public let name: String
        /// The number as it was given.
        public let phone: String
        /// `tel:` and the number; nil where it has no digit.
        public let url: String?

        public init(name: String, phone: String, url: String?) {
            self.name = name
            self.phone = phone
            self.url = url
        }
    }
}
