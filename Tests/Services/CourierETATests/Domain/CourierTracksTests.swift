import ArrivalEstimate
import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import CourierETA

@Suite("A courier's phones")
struct CourierTracksTests {
    static let old = PhoneID(enrolledAt: seconds(-1_000_000), random: 7)
    static let new = PhoneID(enrolledAt: seconds(-1_000), random: 7)
    static let home = Coordinate(latitude: 55.72, longitude: 12.55)!

    static func standing(_ range: ClosedRange<Double>) -> [Fix] {
        stride(from: range.lowerBound, through: range.upperBound, by: 15).map {
            Fix(time: seconds($0 + 1), place: home, accuracy: 12)
        }
    }

    static func tracks(_ fixes: [(PhoneID, Fix)]) -> CourierTracks {
        var tracks = CourierTracks()
        for (phone, fix) in fixes { try? tracks.insert(fix, from: phone, receivedAt: seconds(1_000)) }
        return tracks
    }

    @Test(
        "A phone left at home is not where the courier is, whichever it is and in whatever order they are heard",
        arguments: 0..<40)
    func leftAtHome(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (carried, left) = seed.isMultiple(of: 2) ? (Self.old, Self.new) : (Self.new, Self.old)
        let ride = ride(from: 0, until: 0.6)
        let fixes = ride.map { (carried, $0) } + Self.standing(0...540).map { (left, $0) }
        let followed = Self.tracks(fixes.shuffled(using: &random)).followed
        #expect(followed == track(of: ride))
    }

    static let outliers: [(Double, Double, Bool)] = [
        (540, 120, true), (540, 12, true), (420, 12, true), (540, 120, false),
    ]

    @Test(
        "One fix that is off moves no phone that was left at home, while the courier stands and while they ride",
        arguments: CourierTracksTests.outliers)
    func oneOff(at: Double, accuracy: Double, stands: Bool) {
        var carried = ride(from: 0, until: stands ? 0.466 : 0.6)
        if stands {
            carried += stride(from: 435.0, through: 540, by: 15).map {
                Fix(time: seconds($0), place: along(0.466), accuracy: 10)
            }
        }
        // 90 m to the north.
        let off = Coordinate(latitude: Self.home.latitude + 90 / 111_195, longitude: Self.home.longitude)!
        let left = Self.standing(0...540).map { fix in
            fix.time == seconds(at + 1) ? Fix(time: fix.time, place: off, accuracy: accuracy) : fix
        }
        let followed = Self.tracks(carried.map { (Self.old, $0) } + left.map { (Self.new, $0) }).followed
        #expect(followed == track(of: carried))
    }

    @Test("A phone that has just begun to send is not followed before it moves")
    func begins() {
        let ride = ride(from: 0, until: 0.5)
        let fixes = ride.map { (Self.old, $0) } + Self.standing(450...450).map { (Self.new, $0) }
        #expect(Self.tracks(fixes).followed == track(of: ride))
    }

    @Test("A phone that fell silent is replaced by the one that sends")
    func silent() {
        let fixes = ride(from: 0, until: 0.3).map { (Self.new, $0) } + Self.standing(0...600).map { (Self.old, $0) }
        #expect(Self.tracks(fixes).followed.latest?.place == Self.home)
    }

    @Test("Of two in one pocket it is always the newest, and never a zigzag between them")
    func onePocket() {
        let ride = ride(from: 0, until: 0.5)
        let other = ride.map { Fix(time: $0.time.addingTimeInterval(3), place: $0.place, accuracy: 30) }
        let fixes = ride.map { (Self.new, $0) } + other.map { (Self.old, $0) }
        #expect(Self.tracks(fixes).followed == track(of: ride))
    }

    @Test("A courier who never moves stands where they are")
    func neverMoves() {
        let tracks = Self.tracks(Self.standing(0...900).map { (Self.new, $0) })
        #expect(tracks.followed.latest?.place == Self.home)
        #expect(tracks.followed.standingSeconds > 600)
    }

    @Test("A courier is not followed on more than four phones")
    func bound() {
        let phones = (0..<9).map { PhoneID(enrolledAt: seconds(Double($0)), random: 1) }
        let fixes = phones.enumerated().map { ($1, Fix(time: seconds(Double($0) * 10), place: along(0.1))) }
        #expect(Set(Self.tracks(fixes).byPhone.keys) == Set(phones.suffix(4)))
    }

    @Test("A later phone's id sorts after an earlier one's")
    func ids() {
        #expect(PhoneID(enrolledAt: seconds(0), random: .max) < PhoneID(enrolledAt: seconds(1), random: 0))
        #expect(PhoneID.own < PhoneID(enrolledAt: seconds(0), random: 0))
    }
}

@Suite("Duty")
struct DutyTests {
    @Test("A position counts by when it was measured, give or take two minutes")
    func covers() {
        let duty = Duty(periods: [.init(from: seconds(0), to: seconds(3_600), isByDelivery: false)])
        for (time, isCovered) in [(-121.0, false), (-119, true), (1_800, true), (3_719, true), (3_721, false)] {
            #expect(duty.covers(seconds(time)) == isCovered, "\(time)")
        }
        #expect(!Duty().covers(seconds(0)))
    }

    @Test("A delivery without an end goes on")
    func open() {
        let duty = Duty(periods: [.init(from: seconds(0), to: .distantFuture, isByDelivery: true)])
        #expect(duty.covers(seconds(86_400)) && duty.period(at: seconds(86_400))?.isByDelivery == true)
    }
}

@Suite("Phones' tokens")
struct PhoneTokenTests {
    @Test("A token is 28 characters that need no escaping, reads back, and is never the same")
    func form() {
        var random = SystemRandomNumberGenerator()
        let tokens = (0..<200).map { _ in PhoneToken.generate(using: &random) }
        #expect(Set(tokens).count == 200 && Set(tokens.map(\.hash)).count == 200)
        for token in tokens {
            #expect(token.text.wholeMatch(of: /dp[0-9a-hjkmnp-tv-z]{26}/) != nil)
            #expect(PhoneToken(token.text) == token && PhoneToken(token.text.uppercased()) == token)
        }
    }

    @Test(
        "What cannot be a token costs no query",
        arguments: [
            "", "dp", "mira", "dp0123456789abcdefghjkmnpqr", "dp0123456789abcdefghjkmnpqrst",
            "xx0123456789abcdefghjkmnpqrs",
            "dp0123456789abcdefghjkmnpqr'", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
        ])
    func others(text: String) {
        #expect(PhoneToken(text) == nil)
    }
}
