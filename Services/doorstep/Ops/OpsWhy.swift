import ArgumentParser
import DomainTime
import StackClient

/// Prints the merged timeline of one delivery, the state of its cards and a diagnosis.
struct OpsWhy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "What happened to a delivery, what its cards show, and what to do.",
        discussion: "A service that does not answer is named, and what the others know is shown all the same.")

    @Argument(help: "The delivery's id.")
    var delivery: String

    func run() async throws {
        let timeline = try await MergedTimeline.read(delivery)
        let now = try await Stack().clock().now
        print(MergedTimelineText(timeline, id: delivery, now: now).lines.joined(separator: "\n"))
    }
}
