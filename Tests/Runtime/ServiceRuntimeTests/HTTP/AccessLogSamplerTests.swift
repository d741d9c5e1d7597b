import Testing

@testable import ServiceRuntime

@Suite("Sampling of the access log")
struct AccessLogSamplerTests {
    @Test("Of the requests that went well the first of each second are logged, and the next line counts the others")
    func successes() {
        let sampler = AccessLogSampler(perSecond: 2)
        let first = (0..<5).map { _ in sampler.line(at: .milliseconds(10_100), isExpected: true) }
        #expect(first == [0, 0, nil, nil, nil])
        #expect(sampler.line(at: .milliseconds(10_999), isExpected: true) == nil)
        #expect(sampler.line(at: .milliseconds(11_000), isExpected: true) == 4)
        #expect(sampler.line(at: .milliseconds(11_000), isExpected: true) == 0)
    }

    @Test("Every request that failed is logged, and takes no other's place")
    func failures() {
        let sampler = AccessLogSampler(perSecond: 1)
        let lines = (0..<5).map { _ in sampler.line(at: .seconds(3), isExpected: false) }
        #expect(lines == [0, 0, 0, 0, 0])
        #expect(sampler.line(at: .seconds(3), isExpected: true) == 0)
        #expect(sampler.line(at: .seconds(3), isExpected: true) == nil)
        #expect(sampler.line(at: .seconds(3), isExpected: false) == 1)
    }
}
