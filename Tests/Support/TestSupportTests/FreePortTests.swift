import Testing

@testable import TestSupport

@Suite("Free ports")
struct FreePortTests {
    @Test("A port is given once, though nothing listens on it yet")
    func distinct() throws {
        let ports = try (0..<1_000).map { _ in try freePort() }
        #expect(Set(ports).count == ports.count)
    }

    @Test("A block of ports is held once, while the process that holds it runs")
    func held() throws {
        let block = blockOfPorts(with: UInt16(try freePort()))
        #expect(!holdBlockOfPorts(from: block))
    }
}
