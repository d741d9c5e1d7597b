import ArrivalEstimate
import Foundation
import Messages
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Watcher")
struct WatcherTests {
    private let watcher = Watcher()

    private func watched(_ delivery: Delivery, at time: Double) -> WatchedDelivery {
        watcher.begin(delivery.said(at: time), after: nil)
    }

    @Test("From pickup there is a window before any fix, worth showing once")
    func beforeFixes() throws {
        var watched = watched(try .sample(in: .pickedUp), at: 0)
        let first = watcher.observe(&watched, track: CourierTrack(), carried: [], now: start)
        #expect(first.isWorthShowing && first.signs.isEmpty && watched.watch.lastFixAt == nil)
        watched.nextWord()
        #expect(watcher.observe(&watched, track: CourierTrack(), carried: [], now: seconds(30)).isQuiet)
    }

    @Test("The first fix after pickup gives an estimate worth showing; small drift is not")
    func firstEstimate() throws {
        var watched = watched(try .sample(in: .enRoute), at: 0)
        let first = watcher.observe(&watched, track: track(of: ride(from: 10, until: 0)), carried: [], now: seconds(10))
        #expect(first.isWorthShowing && watched.watch.published != nil)
        watched.nextWord()
        let later = track(of: ride(from: 10, until: 0.05))
        #expect(watcher.observe(&watched, track: later, carried: [], now: seconds(55)).isQuiet)
    }

    @Test("A whole ride tells leaving, arriving and the door once each, in that order, and changes its mind rarely")
    func wholeRide() throws {
        var watched = watched(try .sample(in: .pickedUp), at: 0)
        var signs: [Sign] = []
        var shown = 0
        let ride = ride(from: 15, until: 1) + [Fix(time: seconds(930), place: doorPlace, accuracy: 10, speed: 0)]
        for count in ride.indices {
            let observation = watcher.observe(
                &watched, track: track(of: Array(ride[...count])), carried: [], now: ride[count].time)
            signs += observation.signs
            shown += observation.isForScreens ? 1 : 0
            if !observation.isQuiet { watched.nextWord() }
        }
        #expect(signs == [.leftStore, .arriving, .atDoor])
        #expect(watched.watch.told.map(\.sign) == signs)
        #expect(shown <= 9)
        #expect(watched.watch.legProgress == 1)
    }

    @Test("Before pickup the way leads through the store")
    func throughStore() throws {
        let here = Fix(time: seconds(5), place: doorPlace, accuracy: 10, speed: 0)
        var assigned = watched(try .sample(in: .assigned), at: 0)
        _ = watcher.observe(&assigned, track: track(of: [here]), carried: [], now: seconds(5))
        var carrying = watched(try .sample(in: .enRoute), at: 0)
        _ = watcher.observe(&carrying, track: track(of: [here]), carried: [], now: seconds(5))
        let before = try #require(assigned.watch.estimate).remaining(at: seconds(5))
        let after = try #require(carrying.watch.estimate).remaining(at: seconds(5))
        #expect(before > 2 * 2_850 * 1.21 / 3.5 && after < 60)
    }

    @Test("Another door first makes a later arrival, and no arriving before it is done")
    func stacked() throws {
        let other = try Delivery.sample(in: .enRoute, customer: "ole")
        var second = try Delivery.sample(in: .enRoute)
        try second.change(.stopsBefore(1), at: 1)
        let near = track(of: [Fix(time: seconds(30), place: along(0.95), accuracy: 10, speed: 3)])
        var watched = watched(second, at: 1)
        let observation = watcher.observe(&watched, track: near, carried: [other, second], now: seconds(30))
        #expect(!observation.signs.contains(.arriving))
        let stacked = try #require(watched.watch.estimate).remaining(at: seconds(30))
        var alone = self.watched(try .sample(in: .enRoute), at: 1)
        _ = watcher.observe(&alone, track: near, carried: [], now: seconds(30))
        let direct = try #require(alone.watch.estimate).remaining(at: seconds(30))
        #expect(stacked > direct + StopStays.builtIn.doorSeconds)
    }

    @Test("A track from the last shift says nothing about this delivery")
    func oldTrack() throws {
        var watched = watched(try .sample(in: .enRoute), at: 0)
        let old = track(of: [Fix(time: seconds(-1_801), place: along(0.5))])
        _ = watcher.observe(&watched, track: old, carried: [], now: seconds(0))
        var unheard = self.watched(try .sample(in: .enRoute), at: 0)
        _ = watcher.observe(&unheard, track: CourierTrack(), carried: [], now: seconds(0))
        #expect(watched.watch.estimate == unheard.watch.estimate && watched.watch.lastFixAt == nil)
    }

    @Test("Another courier, another way: what was estimated for the first is forgotten")
    func reassigned() throws {
        var delivery = try Delivery.sample(in: .enRoute)
        var watched = watched(delivery, at: 0)
        _ = watcher.observe(&watched, track: track(of: ride(from: 10, until: 0.2)), carried: [], now: seconds(200))
        try delivery.change(.courier(noah), at: 210)
        let next = watcher.begin(delivery.said(at: 210), after: watched)
        #expect(next.watch.estimate == nil && next.watch.published == nil && next.watch.legSince == seconds(210))
        #expect(next.step == watched.step)
    }

    @Test("The same leg goes on through its statuses; its milestones are those that orders shows")
    func sameLeg() throws {
        var delivery = try Delivery.sample(in: .pickedUp)
        var watched = watched(delivery, at: 0)
        _ = watcher.observe(&watched, track: track(of: ride(from: 10, until: 0.95)), carried: [], now: seconds(860))
        #expect(watched.watch.signs.reached.isSuperset(of: [.leftStore, .arriving]))
        try delivery.change(.status(.enRoute, reason: nil), at: 870)
        let next = watcher.begin(delivery.said(at: 870), after: watched)
        #expect(next.watch.legSince == watched.watch.legSince)
        #expect(next.watch.estimate == watched.watch.estimate)
        #expect(next.watch.signs.reached == [.nearStore, .leftStore])
    }

    static let unheardByStatus: [(StatusCode, [Sign])] = [
        (.pickedUp, [.leftStore, .arriving]), (.enRoute, [.arriving]), (.arriving, []), (.delivered, []),
    ]

    @Test("Milestones that orders does not show to have heard are known", arguments: WatcherTests.unheardByStatus)
    func unheard(code: StatusCode, expected: [Sign]) throws {
        let progress = SignRecord(reached: [.nearStore, .leftStore, .arriving])
        #expect(progress.unheard(by: try .sample(in: code)) == expected)
        let troubled = SignRecord(reached: progress.reached, isSilent: true, isLate: true)
        let flags: [Sign] = code == .delivered ? [] : [.silent, .late]
        #expect(troubled.unheard(by: try .sample(in: code)) == expected + flags)
    }

    @Test("Silence is looked for where somebody waits", arguments: StatusCode.allCases.filter { $0.rank >= 50 })
    func silentAt(code: StatusCode) throws {
        let watched = watched(try .sample(in: code), at: 0)
        let due = watcher.silentAt(watched, track: CourierTrack(), now: start)
        let isWaitedFor = [.pickedUp, .enRoute, .arriving, .atDoor, .attempted].contains(code)
        #expect(due == (isWaitedFor ? seconds(300) : nil))
    }
}
