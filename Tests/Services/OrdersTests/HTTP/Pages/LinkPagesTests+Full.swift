import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import Testing

@testable import Orders

extension LinkPagesTests {
    @Test("A reader too many without the order's number is refused with the limit of such readers, and told what helps")
    func full() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            let path = try await orders.viewLink(of: id, client)
            let slots = (0..<OpenPages.unprovenPagesPerDeliveryMax).map { number in
                orders.pages.open(
                    id,
                    for: PageReader(
                        owner: OrdersUnderTest.customer, network: "198.51.100.\(number)", isProven: false))
            }
            #expect(slots.allSatisfy { $0 != nil })
            let refused = try await orders.send(client, .get, path + "/events", as: nil)
            #expect(refused.status == .tooManyRequests)
            let problem =
                try JSONSerialization.jsonObject(with: Data(String(buffer: refused.body).utf8))
                as? [String: Any]
            #expect(problem?["pages_max"] as? Int == OpenPages.unprovenPagesPerDeliveryMax)
            #expect((problem?["detail"] as? String)?.contains("give the order's number") == true)
            withExtendedLifetime(slots) {}
        }
    }
}
