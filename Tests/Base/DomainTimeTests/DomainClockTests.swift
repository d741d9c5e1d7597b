import DomainTime
import Foundation
import Testing

@Suite("Domain clock")
struct DomainClockTests {
    private let origin = Date(timeIntervalSince1970: 1_795_284_000)
    private let wallOrigin = Date(timeIntervalSince1970: 1_700_000_000)

    private func clock(rate: Double, wall: ManualClock) -> DomainClock {
        DomainClock(origin: origin, wallOrigin: wallOrigin, rate: rate, wall: { wall.now })
    }

    @Test("It shows its origin at the wall origin, and runs at its rate from there", arguments: [0.5, 1, 60, 240])
    func rate(rate: Double) {
        let wall = ManualClock(wallOrigin)
        let clock = clock(rate: rate, wall: wall)
        #expect(clock.now == origin)
        wall.advance(by: 8)
        #expect(clock.now == origin.addingTimeInterval(8 * rate))
    }

    @Test("Two processes with the same three numbers read the same time")
    func agreement() {
        let wall = ManualClock(wallOrigin.addingTimeInterval(1_234.5))
        #expect(clock(rate: 60, wall: wall).now == clock(rate: 60, wall: wall).now)
    }

    @Test("A wait is shorter by the clock's rate, and zero for a past date", arguments: [1.0, 60])
    func waits(rate: Double) {
        let clock = clock(rate: rate, wall: ManualClock(wallOrigin))
        #expect(clock.wallDuration(until: origin.addingTimeInterval(120)) == .seconds(120 / rate))
        #expect(clock.wallDuration(until: origin) == .zero)
        #expect(clock.wallDuration(until: .distantPast) == .zero)
    }

    @Test("At rate 1 without an origin it is the wall clock to the last digit")
    func isExact() {
        let wall = ManualClock(Date(timeIntervalSince1970: 1_795_284_000.123456))
        #expect(wall.domain.now == wall.now)
    }

    @Test("Sleeping until a past time returns at once")
    func pastSleep() async throws {
        let wall = ManualClock(wallOrigin)
        try await clock(rate: 60, wall: wall).sleep(until: origin)
        try await DomainClock.wall.sleep(until: .distantPast)
    }

    @Test("A sleep ends when the clock reaches its time", .timeLimit(.minutes(10)))
    func sleep() async throws {
        let wallStart = Date()
        let clock = DomainClock(origin: origin, wallOrigin: wallStart, rate: 100_000)
        let until = origin.addingTimeInterval(1_000)
        try await clock.sleep(until: until)
        #expect(clock.now >= until)
    }

    @Test("A sleep until a far date can be cancelled", .timeLimit(.minutes(10)))
    func cancelledSleep() async throws {
        let sleeper = Task { try await DomainClock.wall.sleep(until: .distantFuture) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
