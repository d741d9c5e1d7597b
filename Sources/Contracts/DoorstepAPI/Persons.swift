public import OrderDomain

/// The persons of an answer, by their ids and by those of their deliveries.
public struct Persons: Hashable, Sendable {
    public var customers: Set<String> = []
    public var deliveries: Set<String> = []
    public var couriers: Set<String> = []
    /// The number of objects with personal data, such as orders, positions or devices.
    public var objects: Int

    /// An object about at most one customer, delivery and courier.
    public init(customer: CustomerID? = nil, delivery: DeliveryID? = nil, courier: CourierID? = nil) {
        self.init(customer: customer?.rawValue, delivery: delivery?.rawValue, courier: courier?.rawValue)
    }

    /// An object about at most one customer, delivery and courier, by the texts of their ids.
    public init(customer: String?, delivery: String? = nil, courier: String? = nil) {
        if let customer { customers = [customer] }
        if let delivery { deliveries = [delivery] }
        if let courier { couriers = [courier] }
        objects = 1
    }

    /// The persons of several objects.
    public init(_ all: some Sequence<Persons>) {
        objects = 0
        for one in all { add(one) }
    }

    /// Adds the persons of other objects.
    public mutating func add(_ other: Persons) {
        customers.formUnion(other.customers)
        deliveries.formUnion(other.deliveries)
        couriers.formUnion(other.couriers)
        objects += other.objects
    }

    /// The same objects without the ids of others.
    public func subtracting(_ known: Persons) -> Persons {
        var rest = self
        // By the ids of this one: the known ones may be very many.
        rest.customers = customers.filter { !known.customers.contains($0) }
        rest.deliveries = deliveries.filter { !known.deliveries.contains($0) }
        rest.couriers = couriers.filter { !known.couriers.contains($0) }
        return rest
    }

    /// Removes at most `idsMax` ids, in order.
    ///
    /// - Returns: the removed ids, without objects.
    public mutating func removeFirst(_ idsMax: Int) -> Persons {
        func remove(from ids: inout Set<String>, _ count: Int) -> Set<String> {
            let removed = Set(ids.count <= count ? Array(ids) : Array(ids.sorted().prefix(count)))
            ids.subtract(removed)
            return removed
        }
        var first = Persons([])
        first.customers = remove(from: &customers, idsMax)
        first.deliveries = remove(from: &deliveries, idsMax - first.count)
        first.couriers = remove(from: &couriers, idsMax - first.count)
        return first
    }

    /// The number of ids.
    public var count: Int { customers.count + deliveries.count + couriers.count }
}

/// An answer whose persons the access log names.
public protocol PersonalAnswer {
    /// The persons whose data the answer has; no objects where it has none.
    var persons: Persons { get }
}
