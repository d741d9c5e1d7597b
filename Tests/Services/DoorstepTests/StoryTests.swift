import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Why: the story of a delivery")
struct StoryTests {
    static let id = SampleStory.delivery().id.rawValue

    static let stories: [String: DeliveryStory] = {
        let orders = SampleStory.orders(SampleStory.delivery(SampleStory.toEnRoute))
        let estimate = SampleStory.estimate(arriving: 24)
        let activity = SampleStory.activity(isBehind: false)
        let silent = "a service does not answer"
        return [
            "well": .init(orders: .said(orders), estimate: .said(estimate), activities: .said([activity])),
            "late": .init(
                orders: .said(orders), estimate: .said(SampleStory.estimate(arriving: 61)),
                activities: .said([activity])
            ),
            "behind": .init(
                orders: .said(orders), estimate: .said(estimate),
                activities: .said([SampleStory.activity(isBehind: true)])),
            "orders-silent": .init(orders: .silent(silent), estimate: .said(estimate), activities: .said([activity])),
            "courier-eta-silent": .init(
                orders: .said(orders), estimate: .silent(silent), activities: .said([activity])),
            "activity-dispatch-silent": .init(
                orders: .said(orders), estimate: .said(estimate), activities: .silent(silent)),
            "new": .init(
                orders: .said(.init(delivery: SampleStory.delivery(), entries: orders.entries.dropLast(2))),
                estimate: .nothing, activities: .said([])),
        ]
    }()

    static func text(_ story: DeliveryStory) -> String {
        StoryText(story, id: id, now: SampleStory.at(14)).lines.joined(separator: "\n") + "\n"
    }

    @Test("Each story is the one that was reviewed", arguments: stories.keys.sorted())
    func golden(name: String) throws {
        let story = try #require(Self.stories[name])
        try expectGolden(Self.text(story), "ops/why-\(name).txt")
    }

    @Test("A service that does not answer is named once, and what the others know is all there")
    func missing() throws {
        let whole = Self.text(try #require(Self.stories["well"]))
        let story = Self.text(try #require(Self.stories["courier-eta-silent"]))
        #expect(story.split(separator: "\n").filter { $0.hasPrefix("! ") }.count == 1)
        let others = whole.split(separator: "\n").filter {
            $0.contains("  orders  ") || $0.contains("activity-dispatch  ")
        }
        #expect(!others.isEmpty)
        for line in others { #expect(story.contains(line)) }
    }

    @Test("What happened is in the order of its times")
    func order() throws {
        let lines = Self.text(try #require(Self.stories["well"])).split(separator: "\n")
        let times = lines.compactMap { $0.firstMatch(of: /^ +(\d\d:\d\d:\d\d)\s/)?.output.1 }
        #expect(times.count == 8)
        #expect(times == times.sorted())
    }

    static let diagnoses: [(changes: [DeliveryChange], sentence: String)] = [
        ([.hold(reason: "fraud check")], "It is on hold: fraud check."),
        (
            SampleStory.toEnRoute + [.milestone(.silent, assignmentEpoch: 1)],
            "Mira's phone is silent, so nobody knows where the delivery is."
        ),
        (
            SampleStory.toEnRoute + [.status(.atDoor, reason: nil), .status(.attempted, reason: nil)],
            "Mira was at the door and could not hand it over."
        ),
        (
            [.status(.accepted, reason: nil), .status(.picking, reason: nil), .status(.staged, reason: nil)],
            "It is packed and has no courier."
        ),
    ]

    @Test("What stops a delivery is said first", arguments: diagnoses.indices)
    func stopped(index: Int) {
        let (changes, sentence) = Self.diagnoses[index]
        let delivery = SampleStory.delivery(changes)
        let story = DeliveryStory(
            orders: .said(.init(delivery: delivery, entries: [])),
            estimate: .said(SampleStory.estimate(arriving: 61)), activities: .silent("no answer"))
        let diagnosis = Diagnosis(story, id: Self.id, now: SampleStory.at(14), timeZone: .gmt)
        #expect(diagnosis.sentence == sentence)
        #expect(diagnosis.advice != nil)
    }

    @Test("An absence is no failure, a bad token is one")
    func asking() async throws {
        let absent: Told<Int> = try await .asking { throw CommandFailure(.notFound, "none") }
        guard case .nothing = absent else { return #expect(Bool(false), "not found is an answer") }
        let silent: Told<Int> = try await .asking { throw CommandFailure(.unavailable, "away") }
        guard case .silent("away") = silent else { return #expect(Bool(false), "away is no answer") }
        await #expect(throws: CommandFailure.self) {
            let _: Told<Int> = try await .asking { throw CommandFailure(.notAllowed, "expired") }
        }
    }
}
