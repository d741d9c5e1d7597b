import Foundation

/// The results of a run: a file of figures for programs, and tables for people.
struct Report {
    private var figures: [String: any Encodable]
    private var paragraphs: [String] = []
    private let machine: Machine?

    /// - Parameters:
    ///   - machine: the report's last part; nil for a run that describes it itself.
    ///   - figures: the content of the file, by name; `Benchmarks/compare` compares every number in it.
    init(of machine: Machine?, _ figures: [String: any Encodable]) {
        self.machine = machine
        self.figures = figures
        if let machine { self.figures["machine"] = machine }
    }

    mutating func add(_ paragraph: String) { paragraphs.append(paragraph) }

    /// Adds a table.
    mutating func add(_ columns: [String], _ rows: [[any Cell]]) {
        let lines = [columns] + rows.map { $0.map(\.text) }
        var table = lines.map { "| \($0.joined(separator: " | ")) |" }
        table.insert("|" + String(repeating: "---|", count: columns.count), at: 1)
        add(table.joined(separator: "\n"))
    }

    /// Adds a table of figures with their aims.
    mutating func add(_ heading: String, _ rows: [Figure]) {
        add([heading, "Measured", "Aim"], rows.map { [$0.name, $0.measured, $0.aim] })
    }

    /// Adds a table with a row for each process; each column has a figure of every process.
    mutating func add(processes columns: KeyValuePairs<String, [String: Double]>) {
        let names = Set(columns.flatMap(\.value.keys)).sorted()
        let rows = names.map { name in [name] + columns.map { $0.value[name]?.text ?? "" } }
        add(["Process"] + columns.map(\.key), rows)
    }

    /// Writes the figures to a JSON file, and prints the tables as Markdown.
    func publish(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(NamedFigures(figures: figures)).write(to: file)
        print((paragraphs + [machine?.summary].compactMap(\.self)).joined(separator: "\n\n"))
    }
}

/// Figures of several types in one JSON object.
private struct NamedFigures: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let figures: [String: any Encodable]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, figure) in figures { try container.encode(figure, forKey: Name(stringValue: name)) }
    }
}
