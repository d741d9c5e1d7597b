/// The arguments of `Benchmarks/run phones`.
struct PhonesSettings {
    /// The stack's folder; it has emulated phones.
    let folder: String
    let output: String
    /// Emulated phones, each of a customer with two deliveries.
    let phones: Int
    /// Changes a second, until every delivery has changed once.
    let rate: Double

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-phones.json"
        phones = try options.count("--phones", default: 300)
        rate = try options.number("--rate", default: 40)
        try options.finish()
    }
}
