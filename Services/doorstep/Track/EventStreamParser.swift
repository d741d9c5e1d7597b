/// Reads server-sent events out of bytes that come in pieces of any size.
///
/// - Source: WHATWG HTML, "Server-sent events", parsing an event stream.
struct EventStreamParser {
    /// Bytes of one line of a device's stream at most; a push is 4,096 and its wrapping little more.
    static let lineBytesMax = 65_536

    private let lineBytesMax: Int

    struct Event: Hashable, Sendable {
        /// The id for `Last-Event-ID`; it stays until another replaces it.
        let id: String?
        let name: String
        let data: String
    }

    /// A line longer than any that we send.
    struct LineTooLong: Error {}

    private var line: [UInt8] = []
    private var lastByteWasReturn = false
    private var isFirstLine = true
    private var id: String?
    private var name = ""
    private var data: [String] = []

    /// - Parameter lineBytesMax: of one line; a longer one ends the reading.
    init(lineBytesMax: Int = Self.lineBytesMax) { self.lineBytesMax = lineBytesMax }

    /// Parses more bytes.
    ///
    /// - Returns: the events that they complete, in order; comments and empty events complete none.
    /// - Throws: `LineTooLong` past the limit.
    mutating func read(_ bytes: some Sequence<UInt8>) throws(LineTooLong) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let isRestOfReturn = lastByteWasReturn && byte == UInt8(ascii: "\n")
            lastByteWasReturn = byte == UInt8(ascii: "\r")
            if isRestOfReturn { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let event = endLine() { events.append(event) }
            } else {
                guard line.count < lineBytesMax else { throw LineTooLong() }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isFirstLine, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        isFirstLine = false
        if text.isEmpty { return dispatch() }
        if text.utf8.first == UInt8(ascii: ":") { return nil }
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = halves.count == 2 ? String(halves[1].first == " " ? halves[1].dropFirst() : halves[1]) : ""
        switch halves[0] {
        case "id" where !value.unicodeScalars.contains("\0"): id = value
        case "event": name = value
        case "data": data.append(value)
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Event? {
        defer {
            name = ""
            data.removeAll()
        }
        guard !data.isEmpty else { return nil }
        return Event(id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
