import ArrivalEstimate
import OrderDomain
import Testing

@Suite("Publishing policy")
struct PublishingPolicyTests {
    private func estimate(_ remaining: Double, at now: Double, latest: Double = 2_000) -> Estimate {
        Estimate(
            arrivesAt: seconds(now + remaining), earliest: seconds(now), latest: seconds(now + latest),
            madeAt: seconds(now))
    }

    @Test("The first estimate is published")
    func first() {
        #expect(PublishingPolicy.standard.shouldPublish(estimate(600, at: 0), over: nil, isUrgent: false))
    }

    /// Remaining seconds now, shown arrival in the same count, seconds since shown, and whether it is worth showing.
    static let cases: [(Double, Double, Double, Bool)] = [
        (200, 200, 60, false), (200, 141, 60, false), (200, 140, 60, true), (200, 266, 60, false), (200, 267, 60, true),
        (200, 320, 29, false),
        (200, 320, 30, true), (1_000, 760, 60, false), (1_000, 1_333, 60, false), (1_000, 1_334, 60, true),
    ]

    @Test(
        "A change is shown that is both a minute and a quarter of what remains, half a minute after the last",
        arguments: PublishingPolicyTests.cases)
    func thresholds(remaining: Double, shown: Double, since: Double, isWorthIt: Bool) {
        let old = estimate(shown + since, at: -since, latest: 5_000)
        #expect(
            PublishingPolicy.standard.shouldPublish(estimate(remaining, at: 0), over: old, isUrgent: false) == isWorthIt
        )
    }

    @Test("Hours before the arrival ten minutes are worth showing, not a quarter of what remains")
    func faraway() {
        let shown = estimate(12_000, at: 0, latest: 20_000)
        func isShown(after seconds: Double) -> Bool {
            PublishingPolicy.standard.shouldPublish(
                estimate(11_940 + seconds, at: 60, latest: 20_000), over: shown, isUrgent: false)
        }
        #expect(!isShown(after: 599) && isShown(after: 600) && isShown(after: 2_460))
    }

    @Test("An estimate of another trip is replaced at once, by whatever differs by a minute")
    func otherStops() {
        let shown = estimate(3_000, at: 0)
        func isShown(after seconds: Double, at now: Double = 1) -> Bool {
            PublishingPolicy.standard.shouldPublish(
                estimate(3_000 - now + seconds, at: now), afterOtherStopsThan: shown)
        }
        #expect(isShown(after: 60) && isShown(after: -60) && !isShown(after: 59))
        #expect(!isShown(after: 600, at: -1), "nothing older than what is shown")
    }

    @Test("An arrival beyond the window that was shown is published")
    func beyondWindow() {
        let old = estimate(1_000, at: -60, latest: 1_050)
        #expect(PublishingPolicy.standard.shouldPublish(estimate(1_020, at: 0), over: old, isUrgent: false))
    }

    /// The new window in seconds, the seconds since the shown one, 400 to 1,400 around 900, and whether it is tightened.
    static let tighter: [(Double, Double, Double, Bool)] = [
        (700, 1_200, 60, true), (700, 1_200, 59, false), (650, 1_260, 60, false), (390, 950, 60, false),
        (950, 1_300, 60, false), (900, 1_401, 60, false),
    ]

    @Test(
        "A much narrower window inside the shown one is shown, and the arrival stays as it was",
        arguments: PublishingPolicyTests.tighter)
    func tightening(from: Double, to: Double, since: Double, isTighter: Bool) {
        let shown = Estimate(
            arrivesAt: seconds(900), earliest: seconds(400), latest: seconds(1_400), madeAt: seconds(100 - since))
        let new = Estimate(
            arrivesAt: seconds(930), earliest: seconds(from), latest: seconds(to), madeAt: seconds(100))
        let tightened = PublishingPolicy.standard.tightened(shown, by: new)
        let expected = Estimate(
            arrivesAt: seconds(900), earliest: seconds(from), latest: seconds(to), madeAt: seconds(100))
        #expect(tightened == (isTighter ? expected : nil))
    }

    @Test("After a milestone a change need not wait, but nothing older than what is shown is ever published")
    func forced() {
        #expect(
            PublishingPolicy.standard.shouldPublish(estimate(300, at: 1), over: estimate(601, at: 0), isUrgent: true))
        #expect(
            !PublishingPolicy.standard.shouldPublish(estimate(600, at: 1), over: estimate(601, at: 0), isUrgent: true),
            "what has not moved is not published again")
        #expect(
            !PublishingPolicy.standard.shouldPublish(estimate(60, at: 0), over: estimate(600, at: 1), isUrgent: true))
    }
}
