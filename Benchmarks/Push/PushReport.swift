import Foundation

/// The results of a run of the push benchmark.
struct PushReport: BenchReport {
    enum Sender: String, Encodable, CaseIterable {
        case h2load
        case apnsClient = "APNsClient"
        case asyncHTTPClient = "async-http-client"
    }

    /// The targets for the figures.
    enum Aim {
        static let shareOfH2load = 0.3
        static let timesAsyncHTTPClient = 2.5
    }

    struct Line: Encodable {
        let sender: Sender
        let connections: Int
        /// In the order of the rounds.
        var perSecond: [Double] = []

        var median: Double { perSecond.sorted()[perSecond.count / 2] }
    }

    private(set) var lines: [Line] = []
    let pushes: Int
    let bodyBytes: Int
    let streams: Int
    let loadBefore: String
    let cores: Int

    init(_ settings: PushSettings, loadBefore: String) {
        pushes = settings.pushes
        bodyBytes = settings.bodyBytes
        streams = settings.streams
        self.loadBefore = loadBefore
        cores = ProcessInfo.processInfo.activeProcessorCount
    }

    mutating func add(_ sender: Sender, _ connections: Int, perSecond: Double) {
        if let index = lines.firstIndex(where: { $0.sender == sender && $0.connections == connections }) {
            lines[index].perSecond.append(perSecond.rounded())
        } else {
            lines.append(Line(sender: sender, connections: connections, perSecond: [perSecond.rounded()]))
        }
    }

    private func median(_ sender: Sender, _ connections: Int) -> Double? {
        lines.first { $0.sender == sender && $0.connections == connections }?.median
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var rows = [
            "| Connections | h2load/s | APNsClient/s | of h2load | async-http-client/s | times that |",
            "|---|---|---|---|---|---|",
        ]
        let other = median(.asyncHTTPClient, 1)
        for connections in PushBench.connections {
            guard let ceiling = median(.h2load, connections), let ours = median(.apnsClient, connections), let other
            else { continue }
            rows.append(
                """
                | \(connections) | \(Int(ceiling)) | \(Int(ours)) | \(text(ours / ceiling)) | \(Int(other)) \
                | \(text(ours / other)) |
                """)
        }
        rows += [
            "",
            """
            Aims: \(text(Aim.shareOfH2load)) of h2load, \(text(Aim.timesAsyncHTTPClient)) times async-http-client, \
            which has one connection. Medians of rounds of \(pushes) pushes of \(bodyBytes) bytes, \(streams) streams \
            a connection, nghttpd with one thread; \(cores) cores, load before the run: \(loadBefore).
            """,
        ]
        return rows.joined(separator: "\n")
    }

    private func text(_ number: Double) -> String { String((number * 100).rounded() / 100) }
}
