/// The arguments of a benchmark, as `--name value`.
struct Options {
    private let values: [String: String]
    private var known: Set<String> = []

    init(_ arguments: some Sequence<String>) throws {
        var values: [String: String] = [:]
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw BenchFailure("\(name) needs a value") }
            values[name] = value
        }
        self.values = values
    }

    /// - Returns: nil where the option is not given.
    mutating func text(_ name: String) -> String? {
        known.insert(name)
        return values[name]
    }

    mutating func number(_ name: String, default standard: Double) throws -> Double {
        guard let text = text(name) else { return standard }
        guard let number = Double(text), number > 0 else { throw BenchFailure("\(name) is a number above 0") }
        return number
    }

    mutating func count(_ name: String, default standard: Int) throws -> Int {
        Int(try number(name, default: Double(standard)))
    }

    /// The stack's folder, which every benchmark needs.
    mutating func folder() throws -> String {
        guard let folder = text("--stack"), !folder.isEmpty else { throw BenchFailure("--stack FOLDER is missing") }
        return folder
    }

    /// - Throws: `BenchFailure` for an option that was not asked for until now.
    func finish() throws {
        guard let unknown = values.keys.first(where: { !known.contains($0) }) else { return }
        throw BenchFailure("unknown: \(unknown); there are \(known.sorted().joined(separator: ", "))")
    }
}
