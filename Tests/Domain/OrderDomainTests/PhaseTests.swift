import OrderDomain
import Testing

/// Every set of flags: 256 of them.
let everyFlagSet: [Set<Flag>] = (0..<(1 << Flag.allCases.count)).map { bits in
    Set(Flag.allCases.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element))
}

@Suite("Holder")
struct HolderTests {
    static let courierETACodes: Set<String> = [
        "picked_up", "en_route", "arriving", "at_door", "attempted", "delivered",
    ]

    @Test(
        "courier-eta writes from pickup to delivery unless someone must act; orders writes the rest",
        arguments: DeliveryStatus.all)
    func holder(status: DeliveryStatus) {
        for flags in everyFlagSet {
            let waits = flags.contains(.onHold) || flags.contains(.needsCustomer)
            let isCourierETA = Self.courierETACodes.contains(status.code.rawValue) && !waits
            #expect(Holder(status, flags: flags).rawValue == (isCourierETA ? "courier-eta" : "orders"))
        }
    }
}

@Suite("Phase")
struct PhaseTests {
    static let withoutFlags: [String: String] = [
        "placed": "received", "accepted": "received", "picking": "picking", "staged": "packed",
        "picked_up": "on_the_way", "en_route": "on_the_way", "arriving": "arriving", "at_door": "at_door",
        "attempted": "problem", "returning": "problem", "delivered": "ended", "returned": "ended",
        "cancelled": "ended", "failed": "ended",
    ]

    @Test("An end comes before a hold, a hold before the status; no other flag counts", arguments: DeliveryStatus.all)
    func precedence(status: DeliveryStatus) throws {
        let expected = try #require(Self.withoutFlags[status.code.rawValue])
        for flags in everyFlagSet {
            let isOnHold = flags.contains(.onHold) && expected != "ended"
            #expect(Phase(status, flags: flags).rawValue == (isOnHold ? "problem" : expected))
        }
    }
}

@Suite("Order status")
struct OrderStatusTests {
    static let cases: [(String, String)] = [
        ("placed", "received"),
        ("placed picking", "picking"),
        ("staged en_route", "on_the_way"),
        ("arriving at_door", "at_door"),
        ("returning en_route", "on_the_way"),
        ("staged attempted", "problem"),
        ("delivered placed", "received"),
        ("delivered cancelled arriving", "arriving"),
        ("delivered", "delivered"),
        ("delivered delivered", "delivered"),
        ("delivered cancelled", "partially_delivered"),
        ("delivered returned", "partially_delivered"),
        ("delivered failed cancelled", "partially_delivered"),
        ("cancelled cancelled", "cancelled"),
        ("cancelled failed", "not_delivered"),
        ("returned", "not_delivered"),
        ("failed", "not_delivered"),
    ]

    @Test("It is the furthest live delivery's phase, then what all the ends make of it", arguments: cases)
    func derived(codes: String, expected: String) throws {
        let deliveries = try codes.split(separator: " ").map { code -> (status: DeliveryStatus, flags: Set<Flag>) in
            let status = try #require(DeliveryStatus.all.first { $0.code.rawValue == code })
            return (status, [])
        }
        #expect(OrderStatus(deliveries)?.code == expected)
        #expect(OrderStatus(deliveries.reversed())?.code == expected)
    }

    @Test("No deliveries have no status")
    func empty() {
        #expect(OrderStatus([]) == nil)
    }
}
