import Testing

@testable import ServiceRuntime

@Suite("Connections of a port")
struct ConnectionTableTests {
    @Test("Above an address's limit its longest idle connection gives way, and no other address's")
    func ofAnAddress() {
        var table = ConnectionTable<Int>(connectionsMax: 10, addressConnectionsMax: 2)
        #expect(table.open(1, from: "b") == .accepted)
        #expect(table.open(2, from: "a") == .accepted)
        #expect(table.open(3, from: "a") == .accepted)
        #expect(table.open(4, from: "a") == .replacing(2))
        table.begin(3)
        table.end(3)
        #expect(table.open(5, from: "a") == .replacing(4))
        #expect(table.count == 3)
    }

    @Test("Above the limit of all the longest idle connection gives way; where all are at work a new one is refused")
    func ofAll() {
        var table = ConnectionTable<Int>(connectionsMax: 2, addressConnectionsMax: 2)
        #expect(table.open(1, from: "a") == .accepted)
        #expect(table.open(2, from: "b") == .accepted)
        table.begin(1)
        #expect(table.open(3, from: "c") == .replacing(2))
        table.begin(3)
        #expect(table.open(4, from: "d") == .refused)
        table.end(1)
        #expect(table.open(4, from: "d") == .replacing(1))
    }

    @Test("A connection of no address counts among all, and among no address's")
    func ofNoAddress() {
        var table = ConnectionTable<Int>(connectionsMax: 3, addressConnectionsMax: 1)
        #expect(table.open(1, from: nil) == .accepted)
        #expect(table.open(2, from: nil) == .accepted)
        #expect(table.open(3, from: "a") == .accepted)
        #expect(table.open(4, from: nil) == .replacing(1))
        table.close(4)
        #expect(table.count == 2)
    }

    @Test("What is closed counts no more, however often it is closed")
    func closed() {
        var table = ConnectionTable<Int>(connectionsMax: 2, addressConnectionsMax: 2)
        _ = table.open(1, from: "a")
        _ = table.open(2, from: "a")
        table.close(1)
        table.close(1)
        #expect(table.open(3, from: "a") == .accepted)
        #expect(table.open(4, from: "a") == .replacing(2))
    }
}
