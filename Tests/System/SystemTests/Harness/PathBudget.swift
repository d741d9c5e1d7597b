import Foundation
import TestSupport

/// The table of what each action cost when its cost was last accepted, `Golden/budget.json`.
///
/// It has the measured figures; ``PathCost/bound(of:measured:)`` makes a bound of each. `UPDATE_GOLDEN=1` measures them
/// anew: a number that rose is a promise that changed, and is read as such.
enum PathBudget {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden/budget.json")

    static var isUpdating: Bool { ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" }

    /// The figures of each action by its name.
    static func read() throws -> [String: [String: Int]] {
        try JSONDecoder().decode([String: [String: Int]].self, from: try Data(contentsOf: file))
    }

    static func write(_ costs: [String: PathCost]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (try encoder.encode(costs.mapValues(\.figures)) + Data("\n".utf8)).write(to: file)
    }
}
