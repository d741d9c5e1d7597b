import ArgumentParser
import DomainTime
import DoorstepAPI
import Foundation

/// Everything that all three services know of one delivery, in one story.
struct OpsWhy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "What happened to a delivery, what its cards show, and what to do.",
        discussion: "A service that does not answer is named, and what the others know is shown all the same.")

    @Argument(help: "The delivery's id.")
    var delivery: String

    func run() async throws {
        let story = try await DeliveryStory.read(delivery)
        let now = try await Stack().clock().now
        print(StoryText(story, id: delivery, now: now).lines.joined(separator: "\n"))
    }
}
