import ArgumentParser

/// A benchmark: its options, and the measurement that they describe.
protocol Benchmark: AsyncParsableCommand {
    /// The default file of the figures.
    static var standardOutput: String { get }
    /// A file for the figures; nil for ``standardOutput``.
    var output: String? { get }

    func measure() async throws -> Report
}

extension Benchmark {
    static var standardOutput: String { ".doorstep/bench-\(configuration.commandName ?? "").json" }

    func run() async throws { try await measure().publish(to: output ?? Self.standardOutput) }
}

/// A benchmark of a private stack.
protocol StackBenchmark: Benchmark {
    var target: StackOptions { get }

    func measure(on stack: Stack) async throws -> Report
}

extension StackBenchmark {
    var output: String? { target.output }

    func measure() async throws -> Report { try await measure(on: try Stack(folder: target.folder)) }
}

/// The options of every benchmark of a stack.
struct StackOptions: ParsableArguments {
    @Option(name: .customLong("stack"), help: "The folder of the private stack.") var folder: String
    @Option(help: "The output file of the figures; .doorstep/bench-PART.json by default.") var output: String?
}

extension Option where Value: LosslessStringConvertible & Comparable & Numeric & Sendable {
    /// An option for a positive number.
    ///
    /// - Parameter help: the quantity, with its unit.
    init(wrappedValue: Value, positive help: String) {
        self.init(wrappedValue: wrappedValue, help: "\(help) (default: \(wrappedValue))") { text in
            guard let number = Value(text), number > .zero else { throw ValidationError("It is a number above 0.") }
            return number
        }
    }
}
