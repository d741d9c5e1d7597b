import Foundation

/// The resources that a stack's processes have used so far.
struct ProcessUsage {
    /// Seconds of processor time, user and system, by name; `load` is this program.
    let cpuSeconds: [String: Double]
    /// Resident memory now and at most, in MiB, by name.
    let memory: [String: Memory]
    /// Seconds of processor time of all processes of the machine, others' too.
    let machineSeconds: Double

    struct Memory: Codable {
        let residentMebibytes: Double
        let residentMebibytesMax: Double
    }

    init(of stack: Stack) {
        var cpu: [String: Double] = ["load": Self.cpu(of: ProcessInfo.processInfo.processIdentifier, withReaped: true)]
        var memory: [String: Memory] = [:]
        for (name, id) in stack.processes {
            cpu[name] = Self.cpu(of: id, withReaped: true)
            memory[name] = Self.memory(of: id)
        }
        if let postmaster = stack.processes["postgres"] {
            for child in Self.children(of: postmaster) {
                cpu["postgres", default: 0] += Self.cpu(of: child, withReaped: false)
            }
        }
        cpuSeconds = cpu
        self.memory = memory
        machineSeconds = Self.machineSeconds()
    }

    /// Resident memory in MiB, by name.
    var resident: [String: Double] { memory.mapValues(\.residentMebibytes) }

    /// Resident memory of one process in MiB.
    static func resident(_ name: String, of stack: Stack) throws -> Double {
        guard let memory = ProcessUsage(of: stack).resident[name] else { throw BenchFailure("\(name) does not run") }
        return memory
    }

    /// Resident memory that one process has gained since `before`, in KiB.
    func kibibytes(of name: String, since before: ProcessUsage) -> Double {
        guard let mebibytes = resident[name], let first = before.resident[name] else { return .nan }
        return (mebibytes - first) * 1024
    }

    /// Seconds of processor time since `before`, by name.
    func seconds(since before: ProcessUsage) -> [String: Double] {
        cpuSeconds.reduce(into: [:]) { result, one in
            result[one.key] = (one.value - (before.cpuSeconds[one.key] ?? 0)).rounded(to: 2)
        }
    }

    /// Milliseconds of processor time per change since `before`, by name.
    func millisecondsPerChange(since before: ProcessUsage, changes: Int) -> [String: Double] {
        cpuSeconds.reduce(into: [:]) { result, one in
            let seconds = one.value - (before.cpuSeconds[one.key] ?? 0)
            result[one.key] = (seconds * 1e3 / Double(max(1, changes))).rounded(to: 3)
        }
    }

    /// User, nice, system, interrupts and stolen time of `/proc/stat` (proc(5)).
    private static func machineSeconds() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("cpu ") })
        else { return 0 }
        let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        let busy = fields.indices.filter { ![3, 4].contains($0) && $0 < 8 }.map { fields[$0] }.reduce(0, +)
        return busy / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Fields of `/proc/<id>/stat` from the third on (proc(5)): the fields before may contain blanks.
    private static func fields(of id: Int32) -> [Substring] {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    /// Seconds of processor time of one process.
    ///
    /// - Parameter withReaped: whether to include ended children.
    static func cpu(of id: Int32, withReaped: Bool) -> Double {
        let fields = fields(of: id)
        guard fields.count > 14 else { return 0 }
        let ticks = fields[11...(withReaped ? 14 : 12)].compactMap { Double($0) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    static func children(of parent: Int32) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { id in
            let fields = fields(of: id)
            return fields.count > 1 && Int32(fields[1]) == parent
        }
    }

    private static func memory(of id: Int32) -> Memory? {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return nil }
        func mebibytes(_ name: String) -> Double {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
            return (kibibytes / 1024).rounded(to: 1)
        }
        return Memory(residentMebibytes: mebibytes("VmRSS:"), residentMebibytesMax: mebibytes("VmHWM:"))
    }
}
