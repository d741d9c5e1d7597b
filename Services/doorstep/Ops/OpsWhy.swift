import ArgumentParser
import DomainTime
import OrderDomain
import StackClient

/// Prints the merged timeline of one delivery, the state of its cards and a diagnosis.
struct OpsWhy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "What happened to a delivery, what its cards show, and what to do.",
        discussion: """
            A service that does not answer is named, and what the others know is shown all the same.

            Of a customer with several deliveries the live one is meant; where that leaves several, they are listed with \
            short ids, and the exit code is 2.
            Examples: doorstep ops why mette · doorstep ops why G-1042 · doorstep ops why 3f2a91
            """)

    @Argument(help: DeliveryFinder.help)
    var delivery: String

    func run() async throws {
        let delivery = try await DeliveryFinder().find(delivery).rawValue
        let timeline = try await MergedTimeline.read(delivery)
        let now = try await Stack().clock().now
        print(MergedTimelineText(timeline, id: delivery, now: now).lines.joined(separator: "\n"))
    }
}
