import AppIntents
import Foundation
import LiveActivity
import SwiftUI
import Synchronization
import Testing
import WidgetKit

@testable import DeliveryWidget

// One at a time: what is drawn depends on the environment, of which there is one.
@Suite("The sample widget", .serialized)
@MainActor
struct WidgetTests {
    private static let now = Int(Date.now.timeIntervalSince1970)

    init() { EnvironmentValues.drawn = EnvironmentValues() }

    /// A delivery that arrives within half an hour of the true clock, which SwiftUI's timers run by.
    private static func context(
        _ status: DeliverySnapshot.Status = .enRoute, isStale: Bool = false, isHandedOver: Bool = false
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
            ], version: 7, statusSince: now - 60, endedAt: status == .delivered ? now : nil, pickingSince: now - 1800,
            isHandedOver: isHandedOver)
        let estimated: Set<DeliverySnapshot.Status> = [.pickedUp, .enRoute, .arriving]
        let arrival = estimated.contains(status) ? Window(from: now + 900, to: now + 1800) : nil
        let step = ActivityStep.after(delivery, arrival: arrival, step: 1)
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
        #expect(lines.contains("link https://go.example/l/details") && lines.contains("transition numericText"))
        #expect(lines.contains("acts PressLinkUnlocked") && !lines.contains("link https://go.example/l/leave"))
        #expect(lines.contains { $0.hasPrefix("spoken Nordhavn, order G-1042") })
    }

    @Test("The island's regions, compact and minimal have what fits them, and a tap opens the details")
    func island() throws {
        let island = try Self.configuration().island(Self.context())
        #expect(island.tap?.absoluteString == "https://go.example/l/details" && island.keyline == .green)
        let lines = island.places.mapValues(Self.lines)
        #expect(lines["expanded leading"]?.contains("image bicycle") == true)
        #expect(lines["expanded leading"]?.last == "Nordhavn")
        #expect(lines["expanded trailing"]?.contains(where: Self.isTimer) == true)
        #expect(lines["expanded bottom"]?.contains("Mira is on the way") == true)
        #expect(lines["expanded bottom"]?.contains("acts PressLinkUnlocked") == true)
        #expect(lines["compact trailing"]?.contains(where: Self.isTimer) == true)
        for place in ["compact leading", "minimal"] { #expect(lines[place]?.last == "image bicycle") }
    }

    @Test("Goods that are handed over by the courier's word are at no door")
    func handedOver() throws {
        let island = try Self.configuration().island(Self.context(.atDoor, isHandedOver: true))
        let lines = island.places.mapValues(Self.lines)
        #expect(island.keyline == .gray && lines["compact leading"]?.last == "image checkmark.circle")
        #expect(lines["compact trailing"]?.contains("Handover") == true)
        #expect(lines["expanded trailing"]?.contains("Handed over") == true)
    }

    @Test("Before the pickup the Lock Screen has the promise, and after the end it has none")
    func promise() throws {
        let configuration = try Self.configuration()
        for status in [DeliverySnapshot.Status.placed, .picking, .staged] {
            let lines = Self.lines(of: configuration.lockScreen(try Self.context(status)))
            #expect(lines.contains { $0.hasPrefix("promised ") }, "\(status)")
        }
        for status in [DeliverySnapshot.Status.enRoute, .delivered] {
            let lines = Self.lines(of: configuration.lockScreen(try Self.context(status)))
            #expect(!lines.contains { $0.hasPrefix("promised ") }, "\(status)")
        }
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
        #expect(
            !lines.contains(where: Self.isTimer) && !lines.contains { $0.hasPrefix("link ") || $0.hasPrefix("acts ") })
        #expect(lines.contains("Mira is on the way"))
    }

    @Test("The small family has no links")
    func small() throws {
        EnvironmentValues.drawn.activityFamily = .small
        let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
        #expect(
            lines.contains("Mira is on the way") && !lines.contains { $0.hasPrefix("link ") || $0.hasPrefix("acts ") })
    }

    // MARK: - Legible, and not too high

    private static func style(_ text: CardText, _ palette: CardPalette) -> String {
        "style \(palette.color(of: text).color)"
    }

    @Test("The card takes its colours from the palette of how the system draws it")
    func colours() throws {
        var dark = EnvironmentValues()
        dark.colorScheme = .dark
        var always = EnvironmentValues()
        always.isLuminanceReduced = true
        var tinted = EnvironmentValues()
        tinted.widgetRenderingMode = .accented
        var contrast = EnvironmentValues()
        contrast.colorSchemeContrast = .increased
        var opaque = dark
        opaque.accessibilityReduceTransparency = true
        let cases: [(EnvironmentValues, CardPalette)] = [
            (EnvironmentValues(), CardPalette(.light)), (dark, CardPalette(.dark)), (always, CardPalette(.alwaysOn)),
            (tinted, CardPalette(.tinted)), (contrast, CardPalette(.light, hasIncreasedContrast: true)),
            (opaque, CardPalette(.dark, reducesTransparency: true)),
        ]
        for (environment, palette) in cases {
            EnvironmentValues.drawn = environment
            let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
            #expect(lines.contains("background \(palette.background.color)"))
            #expect(lines.contains("system action \(palette.color(of: .systemAction).color)"))
            for text in [CardText.store, .headline, .arrival, .remaining] {
                #expect(lines.contains(Self.style(text, palette)), "\(text)")
            }
        }
    }

    @Test("In the island the colours are those for black")
    func islandColours() throws {
        for view in try Self.configuration().island(Self.context()).places.values {
            let styles = Self.lines(of: view).filter { $0.hasPrefix("style ") }
            let known =
                CardText.allCases.map { Self.style($0, .island) }
                + ["style \(CardPalette.island.color(of: Tint.green).color)"]
            #expect(!styles.isEmpty && styles.allSatisfy(known.contains))
        }
    }

    @Test("At every text size the card has the rows and the lines of headline that its layout gives it")
    func sizes() throws {
        let context = try Self.context()
        for size in DynamicTypeSize.allCases {
            EnvironmentValues.drawn.dynamicTypeSize = size
            let lines = Self.lines(of: try Self.configuration().lockScreen(context))
            let layout = Card(context).layout(size: TextSize(size))
            #expect(TextSize(size).dynamicTypeSize == size)
            #expect(lines.contains { $0.hasPrefix("progress ") } == layout.shows(.line), "\(size)")
            #expect(lines.contains("Nordhavn") == layout.shows(.top), "\(size)")
            #expect(lines.contains { $0.hasPrefix("acts ") } == layout.shows(.buttons), "\(size)")
            #expect(lines.contains { $0.hasPrefix("Arrives ") } == layout.shows(.arrival), "\(size)")
            #expect(lines.contains("lines \(layout.headlineLines)"), "\(size)")
        }
    }

    @Test("What comes and goes does so by a transition")
    func transitions() throws {
        let lines = Self.lines(of: try Self.configuration().lockScreen(Self.context()))
        #expect(lines.contains("comes by push") && lines.contains("comes by opacity"))
    }

    // MARK: - Buttons that act

    @Test("A button that acts has the app press its link, and says whose card it was on")
    func acting() async throws {
        let pressed = Mutex<[String]>([])
        AppDependencyManager.shared.add(
            dependency: CardPressing { link, activity in
                pressed.withLock { $0.append("\(link) on \(activity)") }
            })
        let drawing = Drawing(try Self.configuration().lockScreen(Self.context()))
        let intent = try #require(drawing.intents.first as? PressLinkUnlocked)
        _ = try await intent.perform()
        _ = try await PressLink(link: intent.link, activity: "b-1").perform()
        #expect(
            pressed.withLock(\.self) == ["https://go.example/l/leave on a-1", "https://go.example/l/leave on b-1"])
        #expect(PressLinkUnlocked.authenticationPolicy == .requiresAuthentication)
        #expect(PressLink.authenticationPolicy == .alwaysAllowed)
        #expect(!PressLink.isDiscoverable && !PressLinkUnlocked.isDiscoverable)
    }

    @Test("Each status has a delivery to look at in Xcode", arguments: DeliverySnapshot.Status.allCases)
    func previews(status: DeliverySnapshot.Status) {
        let context = ActivityViewContext(
            attributes: PreviewDeliveries.attributes, state: PreviewDeliveries.state(status), isStale: false)
        #expect(Self.lines(of: LockScreenCard(card: Card(context), palette: CardPalette(.light))).count > 3)
    }

    @Test("Every status is drawn, and an ended card counts no more", arguments: DeliverySnapshot.Status.allCases)
    func statuses(status: DeliverySnapshot.Status) throws {
        let configuration = try Self.configuration()
        let context = try Self.context(status)
        let lines = Self.lines(of: configuration.lockScreen(context))
        let now = Int(Date.now.timeIntervalSince1970)
        #expect(lines.contains(Card(context).words.headline(context.state, context.attributes, now: now)))
        if context.state.phase == .ended { #expect(!lines.contains(where: Self.isTimer)) }
        for view in configuration.island(context).places.values { #expect(!Self.lines(of: view).isEmpty) }
    }

    @Test("A colour is the system's of that name, and gray where this version does not know it")
    func tints() {
        #expect(Tint.mint.color == .mint && Tint(rawValue: "of_tomorrow").color == .gray)
    }
}
