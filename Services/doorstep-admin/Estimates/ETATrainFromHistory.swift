import ArgumentParser
import ArrivalEstimate
import CommandOutput
import DomainTime
import ModelTraining
import PostgresClient
import StackClient

/// Fits a model on the history in the services' own database.
struct ETATrainFromHistory: AsyncParsableCommand {
    static let configuration = trainingConfiguration

    @OptionGroup var options: TrainingOptions

    func validate() throws {
        guard options.fromHistory else { throw ValidationError("doorstep eta train reads a folder") }
    }

    func run() async throws {
        let stack = try await Stack()
        let (days, atLeast) = (options.days ?? TrainingOptions.daysMax, options.atLeast ?? TrainingOptions.waysMin)
        let now = try stack.clock().now
        let configuration = try stack.postgres()
        let history: TrainingHistory
        do {
            history = try await PostgresPool.with(configuration) {
                try await TrainingHistory(of: days, before: now, on: $0)
            }
        } catch {
            throw CommandFailure(.unavailable, "the history cannot be read: \(error)")
        }
        if history.unreadable > 0 {
            CommandFailure.complain("\(history.unreadable) legs of the history cannot be read and were skipped")
        }
        guard history.legs.count >= atLeast else {
            throw CommandFailure(
                .conflict,
                "the last \(days) days hold \(history.legs.count) completed legs and \(atLeast) are needed; "
                    + "nothing was written, and the services keep the model that they have")
        }
        let fitted = try history.fit()
        try fitted.write(to: options.model)
        writeLine(
            "\(options.model): fitted on \(fitted.rides) legs of \(history.couriers) couriers in the last \(days) days, "
                + "and \(history.dwells.count) dwells")
    }
}
