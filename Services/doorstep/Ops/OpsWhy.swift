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
        abstract: "Explain a delivery: its events, its cards, and the next action.",
        discussion: """
            A service that does not answer is named, and the others' data is printed all the same.

            For a customer with several deliveries it explains the live one; if several are live, it lists them with \
            short ids, and the exit code is 2.
            With --at it draws each phone's screen at that time, from the pushes sent to it.
            Examples: doorstep ops why mette · doorstep ops why G-1042 --at 18:12 · doorstep ops why 3f2a91
            """)

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @Option(help: "Draw each phone's screen at this time: 18:12 in the store's time zone, or 2026-11-21T17:12:00Z.")
    var at: StoreTime?

    func run() async throws {
        let delivery = try await DeliveryFinder().find(delivery).rawValue
        if let at { return try await printShown(delivery, at: at) }
        let timeline = try await MergedTimeline.read(delivery)
        let now = try await Stack().clock().now
        let contacts = try await Self.contacts(of: delivery, for: timeline, now: now)
        writeLine(timeline.lines(id: delivery, contacts: contacts, now: now).joined(separator: "\n"))
    }

    /// The numbers of the people to call: only of these, since each reading is recorded.
    private static func contacts(
        of delivery: String, for timeline: MergedTimeline, now: Date
    ) async throws -> ContactsBody.Row? {
        let advice = Diagnosis(timeline, now: now, timeZone: timeline.timeZone).advice
        guard let person = advice?.actions.compactMap(\.calledPerson).first else { return nil }
        let client = try PeerClient(.orders, as: .operator)
        // A token that only reads gets no number, and the diagnosis is printed without one.
        let body: ContactsBody? = try? await client.get("/v1/contacts", query: [("ids", delivery), ("of", person)])
        return body?.contacts.first
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
