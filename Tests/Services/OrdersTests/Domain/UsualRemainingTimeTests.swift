import Foundation
import OrderDomain
import Testing

@testable import Orders

@Suite("What a delivery without an estimate usually still takes")
struct UsualRemainingTimeTests {
    /// Minutes from the store to the door, two kilometres away, with the pickup and the handover.
    private static let way = 240.0 + 40 + 1_966 / 2.4 + 120

    private static let states: [(store: StatusCode?, courier: StatusCode, minutes: Double)] = [
        (nil, .unassigned, 15), (.accepted, .unassigned, 15), (.picking, .unassigned, 10), (.staged, .unassigned, 10),
        (.picking, .assigned, 10), (.staged, .assigned, 8), (.staged, .toStore, 5), (.staged, .atStore, 0),
    ]

    @Test("The longer of packing and the courier's way counts, then pickup, ride and door", arguments: states.indices)
    func table(index: Int) throws {
        let (store, courier, minutes) = Self.states[index]
        var delivery = try Delivery.sample()
        for code in [StatusCode.accepted, .picking, .staged] where code.rank <= store?.rank ?? 0 {
            try delivery.change(.status(code, reason: nil))
        }
        if courier != .unassigned { try delivery.change(.courier(Delivery.mira)) }
        for code in [StatusCode.toStore, .atStore] where code.rank <= courier.rank {
            try delivery.change(.status(code, reason: nil))
        }
        let seconds = try #require(delivery.usualRemainingSeconds)
        #expect(abs(seconds - (minutes * 60 + Self.way)) < 30)
        #expect(delivery.atRiskFrom == delivery.promise.end.addingTimeInterval(-seconds))
    }

    @Test(
        "From pickup on it is courier-eta that estimates, and after an end there is nothing left",
        arguments: [
            StatusCode.pickedUp, .enRoute, .atDoor, .delivered,
        ])
    func tail(code: StatusCode) throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: code)
        #expect(delivery.atRiskFrom == nil)
    }
}
