import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing

@Suite("Windows on a screen")
struct ShownWindowTests {
    /// 18:00 in Copenhagen.
    private let now = Date(timeIntervalSince1970: 1_795_280_400)

    private func shown(_ from: Double, _ point: Double, _ to: Double) -> [Int] {
        let window = Window(
            shown: Estimate(
                arrivesAt: now.addingTimeInterval(point), earliest: now.addingTimeInterval(from),
                latest: now.addingTimeInterval(to), madeAt: now))
        return [window.from, window.to].map { $0 - Int(now.timeIntervalSince1970) }
    }

    @Test("Near arrivals are rounded to the minute, later ones to five, far ones to fifteen")
    func steps() {
        #expect(shown(301, 400, 545) == [300, 600])
        #expect(shown(1_010, 1_199, 1_381) == [960, 1_440])
        #expect(shown(1_010, 1_200, 1_381) == [900, 1_500])
        #expect(shown(4_000, 5_400, 7_000) == [3_600, 7_200])
    }

    @Test("A window never has two equal clock times")
    func distinct() {
        #expect(shown(62, 65, 66) == [60, 120])
        #expect(shown(120, 120, 120) == [120, 180])
    }

    @Test("A window on a screen holds the whole estimate")
    func holds() {
        for point in stride(from: 0.0, through: 10_000, by: 37) {
            let window = shown(point * 0.7, point, point * 1.6)
            #expect(Double(window[0]) <= point * 0.7 && Double(window[1]) >= (point * 1.6).rounded(.down))
            #expect(window[1] > window[0] && window[0].isMultiple(of: 60) && window[1].isMultiple(of: 60))
        }
    }
}
