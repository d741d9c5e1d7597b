import Foundation
import LiveActivity
import SwiftUI
import Testing
import WidgetKit

@testable import DeliveryWidget
@testable import ShopApp

// One at a time: what is drawn depends on the environment, of which there is one.
@Suite("The sample widget", .serialized)
@MainActor
struct WidgetTests {
    private static let now = Int(Date.now.timeIntervalSince1970)

    init() { EnvironmentValues.drawn = EnvironmentValues() }

    /// A delivery that arrives within half an hour of the true clock, which SwiftUI's timers run by.
    private static func context(
        _ status: DeliverySnapshot.Status = .enRoute, isStale: Bool = false
    ) throws -> ActivityViewContext<GroceryDeliveryAttributes> {
        let promise = Window(from: now - 900, to: now + 2700)
        let delivery = DeliverySnapshot(
            activity: "a-1", delivery: "a", reference: "G-1042", store: "Nordhavn", timeZone: "Europe/Copenhagen",
            bag: .init(number: 1, count: 1), itemCount: 18, foundCount: 18, substitutedCount: 0, status: status,
            courierStatus: nil, flags: [], courier: Courier(name: "Mira", vehicle: "bicycle"), promise: promise,
            originalPromise: promise, isLeftAtDoor: false, proposal: nil,
            links: [
                .init(verb: .details, url: "https://go.example/l/details"),
                .init(verb: .leaveAtDoor, url: "https://go.example/l/leave"),
            ], version: 7, statusSince: now - 60, endedAt: status == .delivered ? now : nil, pickingSince: now - 1800)
        let step = ActivityStep.after(delivery, arrival: Window(from: now + 900, to: now + 1800), step: 1)
        return ActivityViewContext(attributes: step.attributes, state: step.content, isStale: isStale)
    }

    private static func lines(of view: any View) -> [String] { Drawing(view).lines }

    private static func isTimer(_ line: String) -> Bool {
        line.hasPrefix("timer ") && line.hasSuffix(" \(now + 1800)")
    }

    private static func configuration() throws -> ActivityConfiguration<GroceryDeliveryAttributes> {
        let families = try #require(
            DeliveryWidget().body as? FamiliesConfiguration<ActivityConfiguration<GroceryDeliveryAttributes>>)
        #expect(families.families == [.small])
        return families.content
    }

    @Test("The Lock Screen has words, a timer, links, and one URL for a tap beside them")
    func lockScreen() throws {
        let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
        #expect(lines.first == "tap https://go.example/l/details")
        #expect(lines.contains("Mira is on the way") && lines.contains(where: Self.isTimer))
        #expect(lines.contains("link https://go.example/l/leave") && lines.contains("transition numericText"))
        #expect(lines.contains { $0.hasPrefix("spoken Nordhavn, order G-1042") })
    }

    @Test("The island's regions, compact and minimal have what fits them, and a tap opens the details")
    func island() throws {
        let island = try Self.configuration().island(Self.context())
        #expect(island.tap?.absoluteString == "https://go.example/l/details" && island.keyline == .green)
        let lines = island.places.mapValues(Self.lines)
        #expect(lines["expanded leading"] == ["image bicycle", "Nordhavn"])
        #expect(lines["expanded trailing"]?.contains(where: Self.isTimer) == true)
        #expect(lines["expanded center"]?.contains("Mira is on the way") == true)
        #expect(lines["expanded bottom"]?.contains("link https://go.example/l/leave") == true)
        #expect(lines["compact trailing"]?.contains(where: Self.isTimer) == true)
        #expect(lines["compact leading"] == ["image bicycle"] && lines["minimal"] == ["image bicycle"])
    }

    @Test("A stale card has a mark, a likely arrival and no timer")
    func stale() throws {
        let configuration = try Self.configuration()
        let context = try Self.context(isStale: true)
        let lines = Self.lines(of: configuration.lockScreen(context))
        #expect(lines.contains("image exclamationmark.triangle") && !lines.contains(where: Self.isTimer))
        #expect(lines.contains { $0.hasPrefix("Likely ") })
        for (place, view) in configuration.island(context).places {
            #expect(!Self.lines(of: view).contains(where: Self.isTimer), "\(place)")
        }
    }

    @Test("An always-on screen has neither a timer nor links")
    func luminanceReduced() throws {
        EnvironmentValues.drawn.isLuminanceReduced = true
        let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
        #expect(!lines.contains(where: Self.isTimer) && !lines.contains { $0.hasPrefix("link ") })
        #expect(lines.contains("Mira is on the way"))
    }

    @Test("The small family has no links")
    func small() throws {
        EnvironmentValues.drawn.activityFamily = .small
        let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
        #expect(lines.contains("Mira is on the way") && !lines.contains { $0.hasPrefix("link ") })
    }

    @Test("Every status is drawn, and an ended card counts no more", arguments: DeliverySnapshot.Status.allCases)
    func statuses(status: DeliverySnapshot.Status) throws {
        let configuration = try Self.configuration()
        let context = try Self.context(status)
        let lines = Self.lines(of: configuration.lockScreen(context))
        let now = Int(Date.now.timeIntervalSince1970)
        #expect(lines.contains(Words(locale: "en").headline(context.state, context.attributes, now: now)))
        if context.state.phase == .ended { #expect(!lines.contains(where: Self.isTimer)) }
        for view in configuration.island(context).places.values { #expect(!Self.lines(of: view).isEmpty) }
    }

    @Test("A colour is the system's of that name, and gray where this version does not know it")
    func tints() {
        #expect(Tint.mint.color == .mint && Tint(rawValue: "of_tomorrow").color == .gray)
    }

    @Test("The sample app draws, and takes no URL but a card's")
    func app() async throws {
        let deliveries = Deliveries()
        #expect(Self.lines(of: DeliveryView(deliveries: deliveries)).isEmpty)
        let url = try #require(URL(string: "https://evil.example/l/AQ"))
        #expect(try await deliveries.shown(url) == nil)
    }
}
