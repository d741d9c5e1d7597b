/// The arguments of `Benchmarks/run cards`.
struct CardsSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Live cards in the database, for each of which the same load is measured; rising.
    let counts: [Int]
    /// Changes a second of the load.
    let rate: Double
    let seconds: Double

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-cards.json"
        let counts = options.text("--counts") ?? "1000,100000"
        self.counts = counts.split(separator: ",").compactMap { Int($0) }
        guard !self.counts.isEmpty, self.counts == self.counts.sorted() else {
            throw BenchFailure("--counts is a list of rising numbers, such as 1000,100000")
        }
        rate = try options.number("--rate", default: 50)
        seconds = try options.number("--seconds", default: 20)
        try options.finish()
    }
}
