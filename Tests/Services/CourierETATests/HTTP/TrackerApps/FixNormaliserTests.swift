import ArrivalEstimate
import DoorstepAPI
import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import CourierETA

@Suite("Normaliser")
struct FixNormaliserTests {
    static let now = seconds(86_400)

    static func raw(_ time: Double, latitude: Double = 55.7, longitude: Double = 12.6, accuracy: Double? = 10) -> RawFix
    {
        RawFix(time: .date(seconds(time)), latitude: latitude, longitude: longitude, accuracy: accuracy)
    }

    static func normal(_ fixes: [RawFix]) -> FixNormaliser.Result {
        FixNormaliser()(TrackerApp.Reading(fixes: fixes), receivedAt: now)
    }

    /// A position at 86,400 s, 55.7 north and 12.6 east, but for what is said.
    struct Case: Sendable {
        let fix: RawFix
        let reason: DropReason?

        init(
            time: Double = 86_400, latitude: Double = 55.7, longitude: Double = 12.6, accuracy: Double = 10,
            _ reason: DropReason?
        ) {
            fix = raw(time, latitude: latitude, longitude: longitude, accuracy: accuracy)
            self.reason = reason
        }

        init(_ fix: RawFix, _ reason: DropReason?) {
            self.fix = fix
            self.reason = reason
        }
    }

    static let cases: [Case] = [
        Case(time: 86_520, nil), Case(time: 86_520.5, .future), Case(time: 0, nil), Case(time: -0.5, .old),
        Case(accuracy: 200, nil), Case(accuracy: 200.5, .inaccurate), Case(latitude: 90, nil),
        Case(latitude: 90.1, .invalid), Case(longitude: -180, nil), Case(longitude: -180.1, .invalid),
        Case(latitude: .nan, .invalid), Case(longitude: .infinity, .invalid), Case(latitude: 0, longitude: 0, .zero),
        Case(latitude: 0.000_09, longitude: -0.000_09, .zero), Case(latitude: 0, longitude: 12, nil),
        Case(latitude: 5, longitude: 0, nil), Case(RawFix(time: nil, latitude: 55, longitude: 12), .malformed),
        Case(RawFix(time: .secondsOrMilliseconds(.infinity), latitude: 55, longitude: 12), .malformed),
        Case(RawFix(time: .secondsOrMilliseconds(1e300), latitude: 55, longitude: 12), .malformed),
        Case(RawFix(time: .text("soon"), latitude: 55, longitude: 12), .malformed),
        Case(RawFix(time: .date(now), latitude: nil, longitude: 12), .malformed),
    ]

    @Test("Each fault has its reason, at its bound", arguments: cases)
    func faults(one: Case) {
        let (fix, reason) = (one.fix, one.reason)
        let result = Self.normal([fix])
        #expect(result.fixes.count == (reason == nil ? 1 : 0))
        #expect(result.dropped == (reason.map { [$0: 1] } ?? [:]))
    }

    @Test(
        "A clock that is a day wrong, either way, gets nothing in",
        arguments: [(-86_400, .old), (86_400, .future)] as [(Double, DropReason)])
    func skew(by seconds: Double, reason: DropReason) {
        let ride = (0..<20).map { Self.raw(86_400 + seconds - Double($0) * 15 - 1) }
        #expect(Self.normal(ride) == FixNormaliser.Result(fixes: [], dropped: [reason: 20]))
    }

    @Test("Oldest first, each moment once and at its surest, in whatever order they come", arguments: 0..<50)
    func order(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let ride = (0..<40).map { Self.raw(80_000 + Double($0) * 7, latitude: 55.7 + Double($0) * 0.000_1) }
        let rough = ride.filter { _ in Bool.random(using: &random) }.map { fix in
            var fix = fix
            fix.accuracy = 90
            fix.latitude = 55.9
            return fix
        }
        let repeats = ride.filter { _ in Bool.random(using: &random) }
        let clean = Self.normal(ride)
        let messy = Self.normal((ride + rough + repeats).shuffled(using: &random))
        #expect(messy.fixes == clean.fixes)
        #expect(clean.fixes.map(\.time) == clean.fixes.map(\.time).sorted())
        #expect(messy.dropped[.duplicate, default: 0] == rough.count + repeats.count)
    }
}
