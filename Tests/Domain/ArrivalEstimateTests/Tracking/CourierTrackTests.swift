import ArrivalEstimate
import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("Courier track")
struct CourierTrackTests {
    static let garbage: [(FixFault, Fix)] = [
        (.invalid, Fix(time: Date(timeIntervalSince1970: .infinity), place: store)),
        (.zero, Fix(time: start, place: Coordinate(latitude: 0, longitude: 0)!)),
        (.future, Fix(time: seconds(121), place: store)),
        (.old, Fix(time: seconds(-86_401), place: store)),
        (.inaccurate, Fix(time: start, place: store, accuracy: 201)),
    ]

    @Test("Garbage is refused with its reason and leaves no trace", arguments: CourierTrackTests.garbage)
    func refused(fault: FixFault, fix: Fix) {
        var track = CourierTrack()
        #expect(throws: fault) { try track.insert(fix, receivedAt: start) }
        #expect(track == CourierTrack())
    }

    @Test(
        "A place that is not on earth has no coordinate, so no fix can have it",
        arguments: [(91, 0), (.nan, 13), (52, .infinity)] as [(Double, Double)])
    func notOnEarth(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test("A clock two minutes ahead and a radius of 200 m are still believed")
    func limits() throws {
        var track = CourierTrack()
        try track.insert(Fix(time: seconds(120), place: store, accuracy: 200), receivedAt: start)
        #expect(track.latest?.place == store)
    }

    @Test("What phones send for unknown is nil")
    func unknown() {
        let fix = Fix(time: start, place: store, accuracy: -1, speed: -1, heading: -1)
        #expect(fix.accuracy == nil && fix.speed == nil && fix.heading == nil)
    }

    @Test("The same moment twice is a duplicate, and the more accurate of the two is kept")
    func duplicates() throws {
        let accurate = Fix(time: start, place: along(0.1), accuracy: 5)
        let inaccurate = Fix(time: start, place: along(0.2), accuracy: 80)
        for order in [[accurate, inaccurate], [inaccurate, accurate]] {
            var track = CourierTrack()
            try track.insert(order[0], receivedAt: start)
            #expect(throws: FixFault.duplicate) { try track.insert(order[1], receivedAt: start) }
            #expect(track.latest == accurate)
        }
    }

    @Test("An impossible jump is not believed until a later fix confirms it")
    func jumps() throws {
        var track = track(of: ride(until: 0.2))
        let before = track.latest
        let far = Coordinate(latitude: 52.6, longitude: 13.4)!
        #expect(throws: FixFault.tooFast) {
            try track.insert(Fix(time: seconds(190), place: far), receivedAt: seconds(190))
        }
        #expect(track.latest == before)
        var stayed = track
        try stayed.insert(Fix(time: seconds(200), place: along(0.22)), receivedAt: seconds(200))
        #expect(stayed.latest?.place == along(0.22))
        try track.insert(Fix(time: seconds(200), place: far), receivedAt: seconds(200))
        #expect(track.latest?.place == far && track.believed.count == 2)
    }

    @Test("A fix far off both its neighbours is a spike, and one that is less far off is not", arguments: [240.0, 260])
    func spikes(metres: Double) {
        let aside = Coordinate(latitude: store.latitude + metres / 111_195, longitude: store.longitude)!
        let track = track(of: [
            Fix(time: start, place: store), Fix(time: seconds(30), place: aside), Fix(time: seconds(60), place: store),
        ])
        #expect(track.believed.map(\.place) == (metres > 250 ? [store, store] : [store, aside, store]))
        #expect(track.latest?.time == seconds(60) && track.earliest?.time == start)
    }

    @Test("It is the same track in whatever order the fixes came, and however often", arguments: 0..<50)
    func order(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var fixes = ride(interval: Double.random(in: 1...40, using: &random))
        for index in fixes.indices where Int.random(in: 0..<10, using: &random) == 0 {
            fixes[index] = Fix(
                time: fixes[index].time,
                place: Coordinate(latitude: Double.random(in: -89...89, using: &random), longitude: 10)!, accuracy: 20)
        }
        let inOrder = track(of: fixes, receivedAt: seconds(900))
        let shuffled = track(
            of: (fixes + fixes.shuffled(using: &random)).shuffled(using: &random), receivedAt: seconds(900))
        #expect(inOrder == shuffled)
        #expect(inOrder.believed.map(\.time) == inOrder.believed.map(\.time).sorted())
    }

    @Test("However long a courier rides, the track stays small and keeps the newest")
    func bounded() {
        let track = track(of: ride(lasting: 20_000, interval: 1))
        #expect((40...56).contains(track.believed.count))
        #expect(track.latest?.time == seconds(20_000))
    }

    @Test("UnexpectedStop is measured in a circle of 40 m, and a wobbling phone still stands")
    func standing() {
        let moving = ride(until: 0.5)
        let wobbling = (1...12).map { count in
            Fix(time: seconds(450 + Double(count) * 15), place: along(0.5 + (count.isMultiple(of: 2) ? 0.003 : -0.003)))
        }
        #expect(track(of: moving).standingSeconds < 15)
        #expect((150...180).contains(track(of: moving + wobbling).standingSeconds), "to the width of a slot")
    }

    @Test(
        "A phone's usual interval decides when it is silent",
        arguments: [(5.0, 120.0), (15, 120), (60, 180), (900, 900)])
    func silence(interval: Double, silentAfter: Double) {
        #expect(track(of: ride(lasting: 20_000, interval: interval)).silentAfter == silentAfter)
    }

    @Test("Speed is what the phone reports, else distance over time")
    func speed() throws {
        let reported = Fix(time: seconds(15), place: along(0.1), speed: 1.5)
        #expect(track(of: [Fix(time: start, place: store), reported]).speed == 1.5)
        let silent = Fix(time: seconds(60), place: along(0.1))
        let speed = try #require(track(of: [Fix(time: start, place: store), silent]).speed)
        #expect((4.9...5.1).contains(speed))
    }
}
