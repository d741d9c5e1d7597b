import Foundation

/// The private stack that is measured: where its parts are and which processes they are.
struct Stack {
    static let services = ["orders", "courier-eta", "activity-dispatch"]

    /// A service's schema of the database.
    static func schema(of service: String) -> String { service.replacing("-", with: "_") }

    let folder: String
    let ordersPort: Int
    let courierETAPort: Int
    let dispatchPort: Int
    let deskURL: String
    let partnersPort: Int
    let brokerPort: Int
    /// The control side of `apns-emulator`; nil in a stack without phones.
    let phonesURL: String?
    let databaseURL: String
    let tokenKeyFile: String
    /// Process ids by name; the services, `postgres` and `nats`.
    let processes: [String: Int32]

    /// The port of each of ``services``.
    var ports: [(service: String, port: Int)] {
        Array(zip(Self.services, [ordersPort, courierETAPort, dispatchPort])).map { (service: $0, port: $1) }
    }

    /// - Parameter folder: the argument of `Infra/local/stack up`.
    init(folder: String) throws {
        self.folder = folder
        var settings: [String: String] = [:]
        for line in try Self.lines(of: folder + "/stack.env") {
            guard let split = line.firstIndex(of: "=") else { continue }
            settings[String(line[..<split])] = String(line[line.index(after: split)...])
        }
        func setting(_ name: String) throws -> String {
            guard let value = settings[name] else { throw BenchFailure("\(folder)/stack.env has no \(name)") }
            return value
        }
        func port(_ name: String) throws -> Int {
            guard let port = URLComponents(string: try setting(name))?.port else {
                throw BenchFailure("\(name) has no port")
            }
            return port
        }
        ordersPort = try port("DOORSTEP_ORDERS_URL")
        courierETAPort = try port("DOORSTEP_COURIER_ETA_URL")
        dispatchPort = try port("DOORSTEP_ACTIVITY_DISPATCH_URL")
        deskURL = try setting("DOORSTEP_DESK_URL")
        partnersPort = try port("DOORSTEP_PARTNERS_URL")
        brokerPort = try port("NATS_URL")
        phonesURL = settings["DOORSTEP_PHONES_URL"]
        databaseURL = try setting("DATABASE_URL")
        tokenKeyFile = folder + "/secrets/admin.pem"
        var processes: [String: Int32] = [:]
        for line in try Self.lines(of: folder + "/pids") {
            let words = line.split(separator: " ")
            if words.count >= 2, let id = Int32(words[1]) { processes[String(words[0])] = id }
        }
        self.processes = processes
    }

    private static func lines(of path: String) throws -> [Substring] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw BenchFailure("\(path) cannot be read")
        }
        return text.split(separator: "\n")
    }

    /// Runs statements through psql.
    func query(_ statements: String...) throws -> String {
        try run(
            postgresProgram("psql"),
            ["-XqAt", "-v", "ON_ERROR_STOP=1"] + statements.flatMap { ["-c", $0] } + [databaseURL])
    }

    /// The text that a question to the database is answered with.
    func value(_ question: String) throws -> String {
        try query(question).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The number that a question to the database is answered with.
    ///
    /// - Throws: `BenchFailure` where the answer is no number.
    func count(_ question: String) throws -> Int {
        let answer = try value(question)
        guard let count = Int(answer) else { throw BenchFailure("\(answer) is no answer to: \(question)") }
        return count
    }

    /// Runs a file of statements through psql.
    func execute(scriptAt path: String) throws {
        _ = try run(postgresProgram("psql"), ["-XqAt", "-v", "ON_ERROR_STOP=1", "-f", path, databaseURL])
    }

    /// Starts a part that was stopped.
    ///
    /// - Returns: the stack with the new process, which listens.
    func starting(_ service: String, port: Int) throws -> Stack {
        // Foundation waits until every process has closed inherited files, and the service would keep them open.
        let start = #"for file in /proc/$$/fd/*; do n=${file##*/}; [ "$n" -le 2 ] || eval "exec $n>&-"; done; "#
        try run("/bin/bash", ["-c", start + #"Infra/local/stack start "$0""#, folder])
        let deadline = now() + .seconds(60)
        while (try? Socket(port: port)) == nil {
            guard now() < deadline else { throw BenchFailure("\(service) does not start") }
            usleep(50_000)
        }
        return try Stack(folder: folder)
    }

    /// Seconds since the last process of the stack was started, by the time of the list of processes.
    func secondsSinceStart() throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/pids")
        guard let start = attributes[.modificationDate] as? Date else {
            throw BenchFailure("\(folder)/pids has no time")
        }
        return -start.timeIntervalSinceNow
    }

    /// Stops some of the services, or the broker.
    func stop(_ services: [String]) throws {
        let ids = services.compactMap { processes[$0] }
        for id in ids { kill(id, SIGTERM) }
        let deadline = now() + .seconds(40)
        while ids.contains(where: { kill($0, 0) == 0 }) {
            guard now() < deadline else { throw BenchFailure("the services do not stop") }
            usleep(100_000)
        }
    }
}

/// Polls until the condition holds.
///
/// - Parameters:
///   - what: the condition, for the error.
///   - interval: between two polls, in microseconds.
/// - Throws: `BenchFailure` where it does not hold within 300 s.
func waitUntil(_ what: String, every interval: UInt32 = 200_000, _ holds: () throws -> Bool) throws {
    let end = now() + .seconds(300)
    while try !holds() {
        guard now() < end else { throw BenchFailure("waited 300 s until \(what)") }
        usleep(interval)
    }
}

/// The path of a program of Postgres, from the newest version installed.
func postgresProgram(_ name: String) throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let paths = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(root)/\($0)/bin/\(name)" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
        throw BenchFailure("\(name) is missing; run: make packages")
    }
    return path
}

/// Runs a program and returns its output.
///
/// - Throws: `BenchFailure` with the end of its output when it ends with another status than 0.
@discardableResult
func run(_ path: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    // A program inherits the signal mask of the thread that starts it, and this process's threads block the alarm that
    // ends pgbench.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0 else {
        throw BenchFailure("\(URL(filePath: path).lastPathComponent) failed: \(text.suffix(2_000))")
    }
    return text
}
