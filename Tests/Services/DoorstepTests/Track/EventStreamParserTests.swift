import Testing

@testable import Doorstep

@Suite("Server-sent events")
struct EventStreamParserTests {
    typealias Event = EventStreamParser.Event

    static let stream = """
        \u{FEFF}: welcome\r\n\
        \r\n\
        id: 7\r\n\
        event: push\r\n\
        data: {"store":"Smørrebrød"}\r\n\
        \r\n\
        : heartbeat\n\
        \n\
        id: 8\r\
        data:one\r\
        data: two\r\
        \r\
        data\n\
        retry: 10\n\
        unknown: x\n\
        \n\
        event: push\n\
        \n\
        id: not whole\n\
        data: lost
        """

    static let events = [
        Event(id: "7", name: "push", data: #"{"store":"Smørrebrød"}"#),
        Event(id: "8", name: "message", data: "one\ntwo"),
        Event(id: "8", name: "message", data: ""),
    ]

    @Test("A stream means the same wherever its bytes are split", arguments: 0...stream.utf8.count)
    func split(at index: Int) throws {
        let bytes = Array(Self.stream.utf8)
        var parser = EventStreamParser()
        let events = try parser.read(bytes[..<index]) + parser.read(bytes[index...])
        #expect(events == Self.events)
    }

    @Test("A stream means the same byte by byte")
    func bytewise() throws {
        var parser = EventStreamParser()
        var events: [Event] = []
        for byte in Self.stream.utf8 { events += try parser.read([byte]) }
        #expect(events == Self.events)
    }

    @Test("A line without an end is refused before it fills the memory")
    func tooLong() throws {
        var parser = EventStreamParser()
        _ = try parser.read(Array(repeating: UInt8(ascii: "a"), count: EventStreamParser.lineBytesMax))
        #expect(throws: EventStreamParser.LineTooLong.self) { try parser.read([UInt8(ascii: "a")]) }
    }
}
