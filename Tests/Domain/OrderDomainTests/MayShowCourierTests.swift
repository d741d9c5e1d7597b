import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("Whether a customer may see where the courier is")
struct MayShowCourierTests {
    @Test("Only between pickup and the door", arguments: DeliveryStatus.all)
    func statuses(status: DeliveryStatus) throws {
        let shown: Set<DeliveryStatus> = [.handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving)]
        let delivery = try delivery(in: status)
        #expect(delivery.mayShowCourier(stopsMax: 0) == shown.contains(status))
        #expect(delivery.mayShowCourier(stopsMax: 20) == shown.contains(status))
    }

    @Test("Only within the last stops that the store permits, and before the courier has left only for the next")
    func stops() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        _ = try delivery.apply(.stopsBefore(2), at: start)
        #expect([0, 1, 2, 3].map(delivery.mayShowCourier) == [false, false, true, true])
        var waiting = try OrderDomainTests.delivery(in: .handedOver(.pickedUp))
        _ = try waiting.apply(.stopsBefore(1), at: start)
        #expect(!waiting.mayShowCourier(stopsMax: 3))
    }

    @Test("Not while it is held, handed over by word or with another courier, nor where the shop tracks no phones")
    func exceptions() throws {
        var held = try delivery(in: .handedOver(.enRoute))
        _ = try held.apply(.hold(reason: "rain"), at: start)
        #expect(!held.mayShowCourier(stopsMax: 3))
        _ = try held.apply(.release, at: start)
        #expect(held.mayShowCourier(stopsMax: 3))
        var passed = try delivery(in: .handedOver(.enRoute))
        _ = try passed.apply(.courier(ben), at: start)
        #expect(passed.fetchedFrom != nil && !passed.mayShowCourier(stopsMax: 3))
        var handedOver = placedDelivery(proofs: [.photo])
        _ = try handedOver.apply(.courier(anna), at: start)
        for code in [StatusCode.pickedUp, .enRoute] {
            _ = try handedOver.apply(.override(code, reason: "set up"), at: start)
        }
        #expect(handedOver.mayShowCourier(stopsMax: 0) && handedOver.isNextStop)
        _ = try handedOver.apply(.handedOverUnconfirmed, at: start)
        #expect(!handedOver.mayShowCourier(stopsMax: 0))
        let shop = Store(
            id: cornerShop.id, name: cornerShop.name, location: cornerShop.location, timeZone: cornerShop.timeZone,
            tracksCouriers: false)
        #expect(try !delivery(in: .handedOver(.enRoute), of: shop).mayShowCourier(stopsMax: 3))
    }
}
