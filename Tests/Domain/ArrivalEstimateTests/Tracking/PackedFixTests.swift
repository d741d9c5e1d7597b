import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Packed fix")
struct PackedFixTests {
    @Test("It takes 32 bytes, and keeps time and place exactly")
    func exact() {
        #expect(MemoryLayout<PackedFix>.stride == 32)
        let fix = Fix(time: seconds(0.123_456), place: along(1 / 3.0), accuracy: 12.34, speed: 3.2, heading: 359.99)
        #expect(PackedFix(fix).fix == fix)
    }

    @Test("Accuracy, speed and heading are kept to a hundredth; unknown stays unknown, and what is too large is large")
    func hundredths() {
        let odd = PackedFix(Fix(time: start, place: store, accuracy: 4.567, speed: 9_999, heading: 0)).fix
        #expect(odd.accuracy == 4.57 && odd.speed == 655.34 && odd.heading == 0)
        let unknown = PackedFix(Fix(time: start, place: store)).fix
        #expect(unknown.accuracy == nil && unknown.speed == nil && unknown.heading == nil)
    }
}
