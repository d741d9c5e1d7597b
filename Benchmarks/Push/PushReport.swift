import Foundation

/// The results of a run of the push benchmark, as they come.
struct PushReport {
    enum Sender: String, Encodable, CaseIterable {
        case h2load
        case apnsClient = "APNsClient"
        case asyncHTTPClient = "async-http-client"
    }

    /// The result of one measurement.
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
        /// The outcomes in the order of the rounds.
        var outcomes: [Outcome] = []

        func median(_ figure: (Outcome) -> Double) -> Double { outcomes.map(figure).sorted()[outcomes.count / 2] }
        var perSecond: Double { median(\.perSecond) }
    }

    /// Latencies from a push's due time to its acceptance, at a rate.
    struct Latency: Encodable {
        let perSecond: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double
    }

    private var lines: [Line] = []
    var latency: Latency?
    private let loadBefore: String

    init() throws {
        loadBefore = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
            .split(separator: " ").prefix(2).joined(separator: " ")
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

    /// The report of a run with these settings.
    func report(_ settings: PushBench) -> Report {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        var report = Report(
            of: nil,
            [
                "lines": lines, "latency": latency, "pushes": settings.pushes, "bodyBytes": settings.bodyBytes,
                "streams": settings.streams, "loadBefore": loadBefore, "cores": cores,
            ])
        report.add(
            [
                "Server", "Sender", "Connections", "pushes/s", "of h2load", "times async-http-client",
                "CPU µs a push, sender", "server",
            ], lines.map(cells))
        if let latency {
            report.add(
                """
                From due to accepted by apns-emulator, \(latency.perSecond) pushes/s over one connection: \
                p50 \(latency.p50Milliseconds.text) ms, p99 \(latency.p99Milliseconds.text) ms.
                """)
        }
        report.add(
            """
            Aims: against nghttpd 0.15 of h2load and 2.5 times async-http-client, which has one connection; 15000 a \
            second of h2load by apns-emulator. Medians of rounds of \(settings.pushes) pushes of \
            \(settings.bodyBytes) bytes, \(settings.streams) streams a connection, nghttpd with one thread; \
            \(cores) cores, load before the run: \(loadBefore).
            """)
        return report
    }

    private func cells(_ line: Line) -> [any Cell] {
        /// The rate of `APNsClient` relative to another sender's to the same server.
        func share(of sender: Sender, _ connections: Int) -> String {
            let other = lines.first {
                $0.server == line.server && $0.sender == sender && $0.connections == connections
            }
            guard line.sender == .apnsClient, let other else { return "" }
            return (line.perSecond / other.perSecond).text
        }
        return [
            line.server.rawValue, line.sender.rawValue, line.connections, line.perSecond,
            share(of: .h2load, line.connections), share(of: .asyncHTTPClient, 1), line.median(\.senderMicroseconds),
            line.median(\.serverMicroseconds),
        ]
    }
}
