/// The changes that have reached the board's streams, by the versions in its rows.
actor BoardArrivals {
    private let deliveries: [String: Int]
    private let streams: Int
    private var latencies: ChangeLatencies

    /// - Parameter deliveries: the deliveries of the shown rows.
    init(deliveries: [String], streams: Int) {
        self.deliveries = Dictionary(uniqueKeysWithValues: zip(deliveries, deliveries.indices))
        self.streams = streams
        latencies = ChangeLatencies(shown: Array(repeating: 0, count: deliveries.count * streams))
    }

    /// A change was answered, and is due on every stream.
    func answer(_ delivery: String, version: Int, dueAt: Instant, at time: Instant) {
        guard let index = deliveries[delivery] else { return }
        for stream in 0..<streams {
            latencies.answer(stream * deliveries.count + index, version: version, dueAt: dueAt, at: time)
        }
    }

    /// An event has come on a stream: each of its rows has `value="<delivery> <version>"`, quoted as JSON.
    func show(_ event: [UInt8], on stream: Int, at time: Instant) {
        let text = String(decoding: event, as: UTF8.self)
        for match in text.matches(of: /value=\\"([0-9a-f-]{36}) (\d+)\\"/) {
            guard let index = deliveries[String(match.1)], let version = Int(match.2) else { continue }
            latencies.show(stream * deliveries.count + index, version: version, at: time)
        }
    }

    /// Answered changes, times the open boards.
    var due: Int { latencies.answered }
    var arrived: Int { latencies.arrived }
    var distribution: Distribution { Distribution(latencies.fromAnswer) }
}
