import Foundation

/// The results of a run, as a file for programs and a table for people.
protocol BenchReport: Encodable {
    /// Markdown, as docs/benchmarks.md has it.
    var table: String { get }
}

extension BenchReport {
    /// Writes everything to a JSON file, and prints the table.
    func publish(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(self).write(to: file)
        print(table)
    }
}
