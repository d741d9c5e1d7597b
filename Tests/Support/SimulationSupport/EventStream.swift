/// Server-sent events out of the lines of a stream.
package struct EventStream {
    package struct Event: Sendable {
        package let id: Int
        package let data: String
    }

    private var line: [UInt8] = []
    private var id: Int?
    private var name = ""
    private var data = ""

    /// - Returns: the pushes that the bytes complete; comments complete none.
    package mutating func read(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if let event = parse(String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func parse(_ line: String) -> Event? {
        guard !line.isEmpty else {
            defer {
                name = ""
                data = ""
            }
            guard name == "push", let id else { return nil }
            return Event(id: id, data: data)
        }
        if let value = Self.value(of: "id", in: line) { id = Int(value) }
        if let value = Self.value(of: "event", in: line) { name = value }
        if let value = Self.value(of: "data", in: line) { data += value }
        return nil
    }

    private static func value(of field: String, in line: String) -> String? {
        guard line.hasPrefix(field + ":") else { return nil }
        let value = line.dropFirst(field.count + 1)
        return String(value.first == " " ? value.dropFirst() : value)
    }
}
