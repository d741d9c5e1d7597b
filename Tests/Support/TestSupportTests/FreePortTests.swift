import TestSupport
import Testing

@Suite("Free ports")
struct FreePortTests {
    @Test("A port is given once, though nothing listens on it yet")
    func distinct() throws {
        let ports = try (0..<1_000).map { _ in try freePort() }
        #expect(Set(ports).count == ports.count)
    }
}
