/// The event streams of all open pages.
///
/// A stream that the service ends, or refuses for now, is counted and opened again two seconds later, as browsers do.
final class PageStreams {
    /// The reconnect delay that the service demands at the beginning of a stream.
    private static let retrySeconds = 2.0
    /// Below the 200 requests a second that the service accepts from one address.
    private static let opensPerSecond = 150.0

    private struct Page {
        /// The path of the page's events.
        let path: String
        /// Nil while the page waits to connect again.
        var stream: EventStream?
        var hasOrder = false
    }

    private var pages: [Page] = []
    private var waiting: [(page: Int, at: Instant)] = []
    private let poller: Poller
    private let port: Int
    private let firstID: Int

    /// Called with a page and the newest change that its list of items shows, as ``PageLoad`` counts them.
    var shown: (_ page: Int, _ change: Int) -> Void = { _, _ in }
    /// Streams that were asked for and not answered.
    private(set) var opening = 0
    /// Pages that have been sent their list of items.
    private(set) var complete = 0
    /// Events of maps.
    private(set) var maps = 0
    /// Streams that the service ended, or refused for now.
    private(set) var ended = 0
    /// The time from which the service accepts another page from an address.
    private(set) var opensAt: Instant = 0

    init(port: Int, poller: Poller, firstID: Int) {
        self.port = port
        self.poller = poller
        self.firstID = firstID
    }

    /// - Parameter path: of the page itself.
    func open(_ path: String) throws {
        pages.append(Page(path: path + "/events"))
        try connect(pages.count - 1)
    }

    private func connect(_ index: Int) throws {
        let stream = try EventStream(port: port, path: pages[index].path, headers: ["Accept-Language: en"])
        pages[index].stream = stream
        try poller.add(stream.socket.descriptor, id: firstID + index)
        opening += 1
        // Unused openings are kept for a second.
        opensAt = max(opensAt, now() - .second) + .seconds(1 / Self.opensPerSecond)
        try stream.ask()
    }

    /// When the next page connects again; far away while none does.
    var reopensAt: Instant { waiting.first.map { max($0.at, opensAt) } ?? .max }

    /// Reconnects the pages whose wait is over.
    func reopen() throws {
        while reopensAt <= now() { try connect(waiting.removeFirst().page) }
    }

    /// - Throws: where a stream is refused for another reason than that the service has too much to do.
    func read(_ index: Int) throws {
        guard let stream = pages[index].stream else { return }
        let wasAnswered = stream.status != nil
        defer { if !wasAnswered, stream.status != nil || pages[index].stream == nil { opening -= 1 } }
        do {
            for event in try stream.read() { receive(event, of: index) }
        } catch  where [nil, 200, 429, 503].contains(stream.status) {
            ended += 1
            pages[index].stream = nil
            waiting.append((index, now() + .seconds(Self.retrySeconds)))
        }
    }

    private func receive(_ event: [UInt8], of index: Int) {
        if event.begins(with: "event: map\n") { maps += 1 }
        guard event.begins(with: "event: order\n") else { return }
        if !pages[index].hasOrder {
            pages[index].hasOrder = true
            complete += 1
        }
        shown(index, event.highestFound)
    }
}

extension [UInt8] {
    fileprivate func begins(with word: StaticString) -> Bool {
        starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// The most pieces of an item that a list of items has as found where more were ordered, in English; 0 for none.
    fileprivate var highestFound: Int {
        var highest = 0
        var start = 0
        while let word = firstRange(of: ": only ", from: start) {
            highest = Swift.max(highest, number(at: word.upperBound) ?? 0)
            start = word.upperBound
        }
        return highest
    }
}
