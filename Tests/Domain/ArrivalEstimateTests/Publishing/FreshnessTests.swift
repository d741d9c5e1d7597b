import ArrivalEstimate
import OrderDomain
import Testing

@Suite("How long an estimate may be believed")
struct FreshnessTests {
    private func estimate(_ remaining: Double, width: Double) -> Estimate {
        Estimate(
            arrivesAt: seconds(remaining), earliest: seconds(remaining - width / 2),
            latest: seconds(remaining + width / 2), madeAt: start)
    }

    @Test("A surer estimate is believed for longer, and so is a phone that seldom speaks")
    func longer() {
        let sure = estimate(1_800, width: 600).freshUntil(lastFixAt: start, silentAfter: 120)
        let unsure = estimate(1_800, width: 3_000).freshUntil(lastFixAt: start, silentAfter: 120)
        let seldom = estimate(1_800, width: 3_000).freshUntil(lastFixAt: start, silentAfter: 600)
        #expect(sure > unsure && seldom > unsure)
        #expect(sure == seconds(750))
    }

    @Test("Never beyond its window, and for five minutes at least within it")
    func bounds() {
        for remaining in stride(from: 0.0, through: 7_200, by: 300) {
            for width in stride(from: 0.0, through: 3_600, by: 300) {
                let one = estimate(remaining, width: width)
                let until = one.freshUntil(lastFixAt: seconds(-30), silentAfter: 45)
                #expect(until <= one.latest && until >= min(one.latest, seconds(270)))
            }
        }
    }

    @Test("Without a fix it counts from when the estimate was made")
    func unreported() {
        let one = estimate(1_800, width: 1_800)
        #expect(one.freshUntil(lastFixAt: nil, silentAfter: 120) == seconds(600))
    }
}
