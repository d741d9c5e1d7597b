import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
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
            With --at it draws what each phone showed then, by what was sent to it.
            Examples: doorstep ops why mette · doorstep ops why G-1042 --at 18:12 · doorstep ops why 3f2a91
            """)

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @Option(help: "Draws what each phone showed at that time: 18:12 in the store's time zone, or 2026-11-21T17:12:00Z.")
    var at: StoreTime?

    func run() async throws {
        let delivery = try await DeliveryFinder().find(delivery).rawValue
        if let at { return try await printShown(delivery, at: at) }
        let timeline = try await MergedTimeline.read(delivery)
        let now = try await Stack().clock().now
        writeLine(timeline.lines(id: delivery, now: now).joined(separator: "\n"))
    }

    private func printShown(_ delivery: String, at time: StoreTime) async throws {
        let activities = try await PeerClient(.activityDispatch, as: .operator).activities(
            of: delivery, rendered: true)
        let zone = activities.first.flatMap { TimeZone(identifier: $0.wanted.attributes.timeZone) } ?? .gmt
        let now = try await Stack().clock().now
        let moment = time.lastMoment(in: zone, now: now)
        let shown = ShownAt(activities, at: moment, words: Words(locale: "en"), timeZone: zone, now: now)
        writeLine(shown.lines.joined(separator: "\n"))
    }
}
