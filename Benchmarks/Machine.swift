import Foundation

/// The machine and the versions that were measured.
struct Machine: Codable {
    let processor: String
    let cores: Int
    let memoryGibibytes: Double
    let system: String
    let kernel: String
    let postgres: String
    let nats: String
    let swift: String
    let databaseFsync: String
    let synchronousCommit: String
    let otherLoad: String
    /// The versions of the packages that were built in, by name.
    let packages: [String: String]

    init(stack: Stack) throws {
        func first(_ path: String, _ prefix: String) -> String {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix(prefix) } ?? ""
            return line.drop { $0 != ":" && $0 != "=" }.dropFirst().trimmingCharacters(in: .init(charactersIn: " \""))
        }
        processor = first("/proc/cpuinfo", "model name")
        cores = ProcessInfo.processInfo.activeProcessorCount
        memoryGibibytes = (Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded(to: 1)
        system = first("/etc/os-release", "PRETTY_NAME")
        kernel = try run("/bin/uname", ["-r"]).trimmingCharacters(in: .whitespacesAndNewlines)
        postgres = try stack.value("SHOW server_version")
        nats = try run("/usr/bin/env", ["nats-server", "--version"]).trimmingCharacters(in: .whitespacesAndNewlines)
        swift = try run("/usr/bin/env", ["swift", "--version"]).split(separator: "\n").first.map(String.init) ?? ""
        databaseFsync = try stack.value("SHOW fsync")
        synchronousCommit = try stack.value("SHOW synchronous_commit")
        otherLoad = try String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
            .split(separator: " ").prefix(2).joined(separator: " ")
        packages = try Self.resolvedPackages()
    }

    /// The packages in `Package.resolved` of the working directory, where the bench is started and built.
    private static func resolvedPackages() throws -> [String: String] {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable {
                    let version: String?
                    let revision: String?
                }
                let identity: String
                let state: State
            }
            let pins: [Pin]
        }
        guard let data = FileManager.default.contents(atPath: "Package.resolved") else {
            throw BenchFailure("there is no Package.resolved here; start the bench where it was built")
        }
        let pins = try JSONDecoder().decode(Resolved.self, from: data).pins
        return Dictionary(uniqueKeysWithValues: pins.map { ($0.identity, $0.state.version ?? $0.state.revision ?? "") })
    }

    /// A sentence for reports.
    var summary: String {
        """
        \(processor), \(cores) cores, \(memoryGibibytes) GiB; \(system), Linux \(kernel); \(swift); \
        Postgres \(postgres) (fsync \(databaseFsync), synchronous_commit \(synchronousCommit)); \(nats). \
        Load before the run: \(otherLoad).
        """
    }

    /// A sentence for reports.
    var packagesSummary: String {
        let versions = packages.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "Packages: \(versions.joined(separator: ", "))."
    }
}
