import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import PostgresClient
import ProcessSettings
import StackClient
import TextCoding
import WireCoding

/// The list of erasures, which a restored database is to be given again.
struct AdminCustomerErasures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasures",
        abstract: "List the erased customers and couriers, or erase them again after a restore.",
        subcommands: [AdminCustomerErasuresList.self, AdminCustomerErasuresApply.self])
}

/// One erased customer or courier.
struct ListedErasure: Codable, Hashable, Sendable {
    /// The person's id, hashed with a key of the file erasure-keys.
    let person: String
    /// Domain time of the request.
    let erasedAt: Date
}

extension ListedErasure {
    /// Adds a database's erasures to the list in a file, where the last time of each person stays.
    ///
    /// A database that was restored lacks erasures that the file has.
    /// - Throws: `CommandFailure` where the file has something else, or cannot be written; it is then unchanged.
    static func keep(_ erasures: [ListedErasure], in path: String) throws {
        let kept = FileManager.default.fileExists(atPath: path) ? try list(in: path) : []
        let times = Dictionary((kept + erasures).map { ($0.person, $0.erasedAt) }, uniquingKeysWith: max)
        let union = times.map { ListedErasure(person: $0.key, erasedAt: $0.value) }
            .sorted { ($0.erasedAt, $0.person) < ($1.erasedAt, $1.person) }
        let json = try WireJSON.encode(union) + Data("\n".utf8)
        do {
            try json.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandFailure(.usage, "\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// The list in a file.
    ///
    /// - Throws: `CommandFailure` where the file has something else, or cannot be read.
    static func list(in path: String) throws -> [ListedErasure] {
        // The failure names the file, the remedy for either error.
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let list = try? WireJSON.decode([ListedErasure].self, from: data)
        else { throw CommandFailure(.usage, "\(path) is no list of erasures") }
        return list
    }
}

/// Prints the list of erasures, or adds it to the one that is kept.
struct AdminCustomerErasuresList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the erasures as JSON: a keyed hash of each person's id, and when.",
        discussion: """
            Keep it apart from the database's back-ups, and renew it after each erasure, with --keep FILE: a restored \
            back-up is given the list again by apply, and a file keeps the erasures that a restored database lacks. \
            Erasures that still run are in it too. A hash names no person without the file erasure-keys.
            """)

    @Option(help: "A file with a list: the database's erasures are added to it, in place of printing them.")
    var keep: String?

    func run() async throws {
        let erasures = try await PostgresPool.with(try await Stack().postgres(), failing: "be read") {
            try await ErasureList(pool: $0).erasures()
        }
        if let keep { return try ListedErasure.keep(erasures, in: keep) }
        writeJSON(try WireJSON.encode(erasures))
    }
}

/// Erases the customers and couriers of a list again.
struct AdminCustomerErasuresApply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Erase the customers and couriers of a list again, after a back-up was restored.",
        discussion: """
            Erases each customer in the database who is in the list and has no order since the erasure; live deliveries \
            of theirs end. Erases each courier of the list who has not been assigned or described since; deliveries in \
            their store are handed back. The others are listed, and are left to be erased by hand. Needs the owner's \
            DATABASE_URL, the file erasure-keys, the services and an operator's token with scope supervisor.
            """)

    @Argument(help: "A file with the list, as list prints or keeps it.")
    var list: String
    @Option(help: "The file erasure-keys of orders.")
    var keyFile: String
    @Option(help: "How long to wait for each person.")
    var waitSeconds = 300
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let (erasures, hash) = (try ListedErasure.list(in: list), try Self.hash(of: keyFile))
        let orders = try PeerClient(.orders, as: .operator)
        let known = try await PostgresPool.with(try await Stack().postgres(), failing: "be compared") {
            try await ErasureList(pool: $0).known(erasures, by: hash)
        }
        let (older, newer) = (known.filter(\.isOlder), known.filter { !$0.isOlder })
        for one in newer { writeLine(one.newerText) }
        guard !older.isEmpty else { return writeLine("no person of the list is in the database") }
        try confirmation.ask("Erase \(older.count) persons again?")
        let erasure = Erasure(orders)
        try await forEachReportingFailures(older.map(\.person)) { person in
            let request = try await erasure.erase(person, endLive: true, waiting: .seconds(waitSeconds))
            guard request.state == .done else {
                throw CommandFailure(.unavailable, "request \(request.id) is still running")
            }
            writeLine("erased again: request \(request.id)")
        }
    }

    private static func hash(of path: String) throws -> KeyedHash {
        // The failure names the file, the remedy for either error.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let keys = NumberedKeys(text: text),
            let current = keys.signing, let hash = KeyedHash(keys: keys.bytes, current: current)
        else { throw CommandFailure(.usage, "\(path) is no file of keys, such as erasure-keys") }
        return hash
    }
}
