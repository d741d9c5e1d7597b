import Testing

@testable import ServiceRuntime

@Suite("The foundation of a service with messages")
struct ServiceFoundationTests {
    @Test(
        "Messages older than the ended deliveries that are kept are not retried, on a clock of the wall's rate alone",
        arguments: [(14, 1, 14), (14, 60, nil), (nil, 1, nil)] as [(Int?, Double, Int?)])
    func messageDaysMax(endsKeptDays: Int?, rate: Double, daysMax: Int?) {
        #expect(ServiceFoundation.messageDaysMax(endsKeptDays: endsKeptDays, rate: rate) == daysMax)
    }
}
