import Testing

@testable import APNsClient

@Suite("How many streams a connection may open")
struct StreamAllowanceTests {
    @Test("None before the settings, one before a request was accepted, then what the settings say")
    func opening() {
        var allowance = StreamAllowance(ownMax: 1_000)
        #expect(allowance.room == 0)
        allowance.receive(concurrentMax: 500)
        #expect(allowance.room == 1)
        let first = allowance.openStream()
        #expect(first == 1)
        #expect(allowance.room == 0)
        allowance.authenticate()
        #expect(allowance.room == 499)
        let second = allowance.openStream()
        #expect(second == 3)
    }

    @Test("A lower limit than is open leaves no room until enough have closed")
    func lowered() {
        var allowance = StreamAllowance(ownMax: 1_000)
        allowance.receive(concurrentMax: 3)
        allowance.authenticate()
        for _ in 0..<3 { _ = allowance.openStream() }
        allowance.receive(concurrentMax: 1)
        allowance.closeStream()
        #expect(allowance.room == 0)
        allowance.closeStream()
        allowance.closeStream()
        #expect(allowance.room == 1)
        allowance.receive(concurrentMax: 0)
        #expect(allowance.room == 0)
    }

    @Test("Settings without a limit leave it as it was; at first, ours holds")
    func silentSettings() {
        var allowance = StreamAllowance(ownMax: 7)
        allowance.receive(concurrentMax: nil)
        allowance.authenticate()
        #expect(allowance.room == 7)
        allowance.receive(concurrentMax: 2)
        allowance.receive(concurrentMax: nil)
        #expect(allowance.room == 2)
        allowance.receive(concurrentMax: 1_000_000)
        #expect(allowance.room == 7)
    }

    @Test("A connection that ends opens none")
    func ending() {
        var allowance = StreamAllowance(ownMax: 10)
        allowance.receive(concurrentMax: 10)
        allowance.end()
        #expect(allowance.room == 0)
    }
}
