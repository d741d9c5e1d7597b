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
        static let shareOfH2load = 0.15
        static let timesAsyncHTTPClient = 2.5
        static let emulatorPerSecond = 15_000.0
    }

    /// What one measurement took.
    struct Outcome: Encodable {
        let perSecond: Double
        /// Microseconds of processor time a push, of the sender and of the server.
        let senderMicroseconds: Double
        let serverMicroseconds: Double
    }

    struct Line: Encodable {
        let server: PushServer.Kind
        let sender: Sender
        let connections: Int
        /// In the order of the rounds.
        var outcomes: [Outcome] = []

        func median(_ figure: (Outcome) -> Double) -> Double { outcomes.map(figure).sorted()[outcomes.count / 2] }
        var perSecond: Double { median(\.perSecond) }
    }

    /// From when a push was due to be sent to its acceptance, at a rate.
    struct Latency: Encodable {
        let perSecond: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double
    }

    private(set) var lines: [Line] = []
    var latency: Latency?
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

    mutating func add(_ outcome: Outcome, of sender: Sender, to server: PushServer.Kind, connections: Int) {
        let isSame = { (line: Line) in
            line.server == server && line.sender == sender && line.connections == connections
        }
        if let index = lines.firstIndex(where: isSame) {
            lines[index].outcomes.append(outcome)
        } else {
            lines.append(Line(server: server, sender: sender, connections: connections, outcomes: [outcome]))
        }
    }

    private func line(_ server: PushServer.Kind, _ sender: Sender, _ connections: Int) -> Line? {
        lines.first { $0.server == server && $0.sender == sender && $0.connections == connections }
    }

    /// Markdown, as docs/benchmarks.md has it.
    var table: String {
        var rows = [
            """
            | Server | Sender | Connections | pushes/s | of h2load | times async-http-client \
            | CPU µs a push, sender | server |
            """,
            "|---|---|---|---|---|---|---|---|",
        ]
        for line in lines {
            let ceiling = self.line(line.server, .h2load, line.connections)?.perSecond
            let other = self.line(line.server, .asyncHTTPClient, 1)?.perSecond
            let isOurs = line.sender == .apnsClient
            rows.append(
                """
                | \(line.server.rawValue) | \(line.sender.rawValue) | \(line.connections) | \(Int(line.perSecond)) \
                | \(isOurs ? share(line.perSecond, of: ceiling) : "") \
                | \(isOurs ? share(line.perSecond, of: other) : "") \
                | \(text(line.median(\.senderMicroseconds))) | \(text(line.median(\.serverMicroseconds))) |
                """)
        }
        rows.append("")
        if let latency {
            rows.append(
                """
                From due to accepted by apns-emulator, \(latency.perSecond) pushes/s over one connection: \
                p50 \(text(latency.p50Milliseconds)) ms, p99 \(text(latency.p99Milliseconds)) ms.
                """)
        }
        rows.append(
            """
            Aims: against nghttpd \(text(Aim.shareOfH2load)) of h2load and \(text(Aim.timesAsyncHTTPClient)) times \
            async-http-client, which has one connection; \(Int(Aim.emulatorPerSecond)) a second of h2load by \
            apns-emulator. Medians of rounds of \(pushes) pushes of \(bodyBytes) bytes, \(streams) streams a \
            connection, nghttpd with one thread; \(cores) cores, load before the run: \(loadBefore).
            """)
        return rows.joined(separator: "\n")
    }

    private func share(_ number: Double, of other: Double?) -> String { other.map { text(number / $0) } ?? "" }

    private func text(_ number: Double) -> String { String((number * 100).rounded() / 100) }
}
