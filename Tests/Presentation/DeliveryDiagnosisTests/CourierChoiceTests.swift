import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import DeliveryDiagnosis

@Suite("Couriers to choose from")
struct CourierChoiceTests {
    private static let now = SampleDeliveries.at(14)

    private func row(_ id: String, onDuty: Bool = true, deliveries: Int = 2) -> CouriersBody.Row {
        .init(
            courier: SampleDeliveries.id(id), name: nil, phones: 1, lastSeenAt: nil, onDuty: onDuty,
            deliveries: deliveries)
    }

    private func position(_ id: String, _ latitude: Double, minutesAgo: Double = 0) -> CourierPositionBody {
        .init(
            courier: SampleDeliveries.id(id),
            latest: .init(
                time: SampleDeliveries.at(14 - minutesAgo), latitude: latitude, longitude: 12.5942, accuracy: nil,
                speed: nil, heading: nil),
            standingSeconds: 0, usualIntervalSeconds: 10, isSilent: false, deliveries: [])
    }

    private static let store = FetchPlace.store(name: "Nordhavn", location: SampleDeliveries.place(55.7085, 12.5942))

    @Test("Duty comes first, then the distance, then the load; a position of a quarter of an hour ago says nothing")
    func order() {
        let choices = CourierChoice.ranked(
            [
                row("a", onDuty: false), row("b"), row("c", deliveries: 1), row("d", deliveries: 0), row("e"),
                row("f", deliveries: 1),
            ],
            at: [
                position("a", 55.7085), position("b", 55.72), position("c", 55.82),
                position("d", 55.7085, minutesAgo: 15),
            ], toFetchFrom: Self.store, now: Self.now)
        #expect(choices.map(\.courier.courier.rawValue) == ["b", "c", "d", "f", "e", "a"])
        #expect(
            choices.map(\.text) == [
                "b, on duty, 2 deliveries, 1.3 km away", "c, on duty, 1 delivery, 12 km away",
                "d, on duty, 0 deliveries", "f, on duty, 1 delivery", "e, on duty, 2 deliveries",
                "a, off duty, 2 deliveries, 0.0 km away",
            ])
    }

    @Test("Without a place, or with a carrier whose position is not known, the load decides")
    func unknownPlace() {
        let mira = FetchPlace.courier(SampleDeliveries.mira.id, name: "Mira")
        for place in [nil, mira] {
            let choices = CourierChoice.ranked(
                [row("a", deliveries: 3), row("b", deliveries: 1)], at: [position("a", 55.7085)], toFetchFrom: place,
                now: Self.now)
            #expect(choices.map(\.courier.courier.rawValue) == ["b", "a"])
            #expect(choices.allSatisfy { $0.metres == nil })
        }
    }

    @Test("Goods are at the store before pickup, and then with who has them, also before a hand-over is confirmed")
    func places() throws {
        #expect(FetchPlace(SampleDeliveries.delivery([.courier(SampleDeliveries.mira)])) == Self.store)
        let mira = FetchPlace.courier(SampleDeliveries.mira.id, name: "Mira")
        #expect(FetchPlace(SampleDeliveries.delivery(SampleDeliveries.toEnRoute)) == mira)
        let finn = Courier(id: SampleDeliveries.id("finn"), name: "Finn", vehicle: .bicycle, phone: nil)
        #expect(FetchPlace(SampleDeliveries.delivery(SampleDeliveries.toEnRoute + [.courier(finn)])) == mira)
        #expect(FetchPlace(SampleDeliveries.delivery([.status(.cancelled, reason: nil)])) == nil)
    }
}
