import Foundation
import SimulationSupport
import TestSupport

/// What a service answers on `/metrics`, checked against the conventions of Prometheus.
struct MetricsExposition {
    let text: String

    init(of service: ServiceName, on stack: any StackUnderTest) async throws {
        text = try await stack.asOperator.text(service, "/metrics")
    }

    /// The metrics' names with their types.
    var types: [(name: String, type: String)] {
        lines("# TYPE ").map { ($0[0], $0[1]) }
    }

    /// Breaches of the naming conventions, and metrics without a help text; empty when there are none.
    ///
    /// - Source: https://prometheus.io/docs/practices/naming/
    var faults: [String] {
        let described = Set(lines("# HELP ").map { $0[0] })
        return types.flatMap { name, type -> [String] in
            var faults: [String] = []
            if !described.contains(name) { faults.append("\(name) has no help text") }
            if !name.hasPrefix("doorstep_"), !name.hasPrefix("process_") { faults.append("\(name) has no prefix") }
            if name.hasSuffix("_total") != (type == "counter") { faults.append("\(name) is a \(type)") }
            if type == "histogram", !name.hasSuffix("_seconds"), !name.hasSuffix("_bytes") {
                faults.append("\(name) has no unit")
            }
            return faults
        }
    }

    /// The complaints of `promtool check metrics`; empty when it has none, nil when it is not installed.
    func promtool() async throws -> String? {
        guard try await ChildProcess.run("sh", ["-c", "command -v promtool"]).exit == .code(0) else { return nil }
        let file = FileManager.default.temporaryDirectory.appending(path: "doorstep-metrics-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        return try await ChildProcess.run("sh", ["-c", "promtool check metrics < '\(file.path)'"]).output
    }

    private func lines(_ prefix: String) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
            .map { $0.dropFirst(prefix.count).split(separator: " ", maxSplits: 1).map(String.init) }
    }
}
