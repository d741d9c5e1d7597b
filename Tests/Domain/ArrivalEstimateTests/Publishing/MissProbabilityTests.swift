import ArrivalEstimate
import OrderDomain
import Testing

@Suite("Promise risk")
struct MissProbabilityTests {
    private let estimate = Estimate(
        arrivesAt: seconds(600), earliest: seconds(400), latest: seconds(1_000), madeAt: start)

    @Test(
        "The window's own ends leave ten in a hundred beyond each, and the point forty-three",
        arguments: [(400.0, 0.9), (600, 0.43), (1_000, 0.1)])
    func ends(end: Double, probability: Double) {
        #expect(abs(estimate.probability(after: seconds(end)) - probability) < 0.001)
    }

    @Test("A later promise is never at greater risk, and no risk is below 0 or above 1")
    func monotone() {
        var former = 1.0
        for end in stride(from: -3_600.0, through: 7_200, by: 10) {
            let risk = estimate.probability(after: seconds(end))
            #expect((0...1).contains(risk) && risk <= former)
            former = risk
        }
    }

    @Test("An arrival without a window is certain on either side of it")
    func certain() {
        let exact = Estimate(
            arrivesAt: seconds(60), earliest: seconds(60), latest: seconds(60), madeAt: start)
        #expect(exact.probability(after: seconds(50)) > 0.99)
        #expect(exact.probability(after: seconds(80)) < 0.01)
    }
}
