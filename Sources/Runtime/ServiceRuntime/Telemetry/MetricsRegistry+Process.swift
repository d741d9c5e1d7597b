package import Foundation

extension MetricsRegistry {
    /// Adds the process metrics of Prometheus' client libraries, under their names; read from `/proc`, Linux only.
    package func addProcessMetrics(startedAt: Date, wall: @escaping @Sendable () -> Date) {
        sample("process_resident_memory_bytes", help: "Memory that is in use and in RAM.") { residentMemoryBytes() }
        sample("process_open_fds", help: "Open file descriptors.") { openFileDescriptors() }
        sample("process_start_time_seconds", help: "Start of the process in seconds since 1970.") {
            startedAt.timeIntervalSince1970.rounded()
        }
        sample("process_uptime_seconds", help: "Seconds since the process started.") {
            wall().timeIntervalSince(startedAt).rounded()
        }
    }
}

/// The second field of `/proc/self/statm`, "resident … in pages" (proc(5)).
private func residentMemoryBytes() -> Double? {
    // A system without `/proc` has no such gauge.
    guard let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " "),
        fields.count > 1, let pages = Double(fields[1])
    else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
}

private func openFileDescriptors() -> Double? {
    // A system without `/proc` has no such gauge.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count) }
}
