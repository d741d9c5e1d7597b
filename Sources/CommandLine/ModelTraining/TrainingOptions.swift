package import ArgumentParser
internal import ArrivalEstimate

/// The arguments of `eta train`: a folder of recorded rides, or the history in the services' own database.
package struct TrainingOptions: ParsableArguments {
    /// The default minimum of completed legs: with fewer legs a model is worse than the constants that it would replace
    /// (docs/eta.md).
    package static let waysMin = 200
    /// The default number of days, and the most.
    package static let daysMax = 90

    @Argument(help: "A folder with trips.csv and positions.csv.")
    package var folder: String?

    @Flag(help: "Fit on the legs that couriers have completed.")
    package var fromHistory = false

    @Option(help: "With --from-history: how many days back, 1 to \(daysMax), the default.")
    package var days: Int?

    @Option(
        help: "With --from-history: refuse with fewer completed legs than this; 50 at least, \(waysMin) by default.")
    package var atLeast: Int?

    @Option(help: "The model's output file.")
    package var model: String

    package init() {}

    /// - Throws: `ValidationError` for options that exclude each other or are out of range.
    package func validate() throws {
        guard (folder == nil) == fromHistory else { throw ValidationError("a folder or --from-history, one of them") }
        guard fromHistory || (days == nil && atLeast == nil) else {
            throw ValidationError("--days and --at-least go with --from-history")
        }
        guard (1...Self.daysMax).contains(days ?? Self.daysMax) else {
            throw ValidationError("--days must be from 1 to \(Self.daysMax)")
        }
        guard atLeast ?? Self.waysMin >= ArrivalModel.ridesMin else {
            throw ValidationError("--at-least must be \(ArrivalModel.ridesMin) or more")
        }
    }
}

/// The name and the help of `eta train`, which reads a folder in one executable and a database in another.
package let trainingConfiguration = CommandConfiguration(
    commandName: "train",
    abstract: "Fit a model on recorded rides, or on the services' own history.",
    discussion: """
        Of a folder it reads trips.csv and positions.csv, and, where they are there, courier_legs.csv and
        deliveries.csv for first promises. With --from-history it reads what courier-eta keeps in the database that
        DATABASE_URL names, as the schemas' owner. The same rides give the same file, byte for byte.
        """)
