import ArrivalEstimate
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import TestSupport
import Testing

@testable import CourierETA

@Suite("Silence", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SilenceTests {
    @Test("A phone that falls silent is detected by a timer, reported once, and so is its return")
    func silence() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            _ = try await harness.published()

            harness.move(to: 301)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().isEmpty, "the newest fix is 211 s old")
            harness.move(to: 391)
            #expect(try await harness.timers.fireDue() == 1)
            let noticed = try await harness.published()
            #expect(noticed.milestones == [.silent] && noticed.intents.count == 1 && noticed.estimates.count == 1)
            harness.move(to: 692)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().milestones.isEmpty)

            harness.move(to: 700)
            _ = try await harness.parts.ingestFixes([Fix(time: seconds(699), place: along(0.5), speed: 3)], of: mira.id)
            #expect(try await harness.published().milestones == [.reporting])
        }
    }

    @Test(
        "A silent phone whose fixes come minutes late is heard by the timer, which is due again when they are too old")
    func lateFixes() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            _ = try await harness.published()
            for time in [301.0, 391] {
                harness.move(to: time)
                #expect(try await harness.timers.fireDue() == 1)
            }
            #expect(try await harness.published().milestones == [.silent])

            harness.move(to: 690)
            let late = [Fix(time: seconds(510), place: along(0.3), speed: 3)]
            #expect(try await harness.parts.ingestFixes(late, of: mira.id).accepted == 1)
            #expect(try await harness.published().isEmpty, "three minutes old: a backlog")
            harness.move(to: 692)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().milestones == [.reporting])
            harness.move(to: 809)
            #expect(try await harness.timers.fireDue() == 0)
            harness.move(to: 811)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().milestones == [.silent])
        }
    }

    @Test("A silence that was reported ends on the way back too, also by fixes that come minutes late")
    func lateOnTheWayBack() async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .enRoute)
            harness.move(to: 100)
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            for time in [301.0, 391] {
                harness.move(to: time)
                #expect(try await harness.timers.fireDue() == 1)
            }
            try delivery.change(.milestone(.silent, assignmentEpoch: delivery.assignmentEpoch), at: 391)
            try delivery.change(.status(.returning, reason: nil), at: 393)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 393))
            _ = try await harness.published()
            harness.move(to: 690)
            let late = [Fix(time: seconds(510), place: along(0.3), speed: 3)]
            #expect(try await harness.parts.ingestFixes(late, of: mira.id).accepted == 1)
            harness.move(to: 692)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().milestones == [.reporting])
            harness.move(to: 2_000)
            #expect(try await harness.timers.fireDue() == 0)
        }
    }

    @Test(
        "A pickup ends no silence, and replaces the window of the way to the store once, over or not",
        arguments: [600.0, 5_400])
    func pickup(pickedUpAt: Double) async throws {
        try await Harness.run { harness in
            var delivery = try Delivery.sample(in: .assigned)
            try delivery.change(.status(.toStore, reason: nil), at: 0)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
            harness.move(to: 60)
            let fix = Fix(time: seconds(60), place: along(0.3), accuracy: 10, speed: 3)
            _ = try await harness.parts.ingestFixes([fix], of: mira.id)
            for time in [301.0, 361] {
                harness.move(to: time)
                #expect(try await harness.timers.fireDue() == 1)
            }
            #expect(try await harness.published().milestones == [.silent])
            try delivery.change(.milestone(.silent, assignmentEpoch: delivery.assignmentEpoch), at: 361)

            harness.move(to: pickedUpAt)
            try delivery.change(.override(.pickedUp, reason: "test"), at: pickedUpAt)
            #expect(delivery.flags.contains(.courierSilent))
            try await harness.parts.applyDeliveryChange(delivery.changed(at: pickedUpAt))
            let published = try await harness.published()
            #expect(published.milestones.isEmpty || published.milestones == [.late], "the promise has passed")
            let shown = try #require(published.intents.last?.step.content.arrival)
            #expect(published.intents.count == 1 && Double(shown.to) > seconds(pickedUpAt).timeIntervalSince1970)
            let estimate = try #require(published.estimates.last?.estimate)
            #expect(estimate.madeAt >= seconds(pickedUpAt), "of the way to the door")
            harness.move(to: pickedUpAt + 400)
            try await harness.timers.fireDue()
            let kept = try await harness.published().estimates
            #expect(kept.allSatisfy { $0.estimate == estimate })

            harness.move(to: pickedUpAt + 410)
            _ = try await harness.parts.ingestFixes(
                [Fix(time: seconds(pickedUpAt + 409), place: along(0.1), speed: 3)], of: mira.id)
            let reported = try await harness.published()
            #expect(reported.milestones.contains(.reporting) && reported.intents.last?.step.content.arrival != nil)
        }
    }

    @Test("A courier without a phone is never silent; enrolled, they are five minutes later")
    func withoutPhone() async throws {
        try await Harness.run { harness in
            try await harness.learnDelivery(in: .enRoute)
            for time in [301.0, 602] {
                harness.move(to: time)
                #expect(try await harness.timers.fireDue() == 1)
            }
            let published = try await harness.published()
            #expect(published.milestones.isEmpty)
            #expect(published.intents.allSatisfy { $0.step.content.courier?.isTracked == false })
            #expect(published.intents.allSatisfy { $0.step.content.headline.code == "en_route" })

            let phone = Phone(
                id: PhoneID(enrolledAt: seconds(610), random: 1), courier: mira.id, app: nil, label: "pink",
                enrolledAt: seconds(610),
                enrolledBy: "operator ada", revokedAt: nil, revokedBy: nil, lastSeenAt: nil)
            try await PhoneRepository.insert(phone, tokenHash: Array(repeating: 1, count: 32), on: harness.pool)
            harness.move(to: 903)
            #expect(try await harness.timers.fireDue() == 1)
            #expect(try await harness.published().milestones == [.silent])
        }
    }

    @Test("A shop that does not follow its couriers never hears that one is silent")
    func untracked() async throws {
        try await Harness.run { harness in
            let delivery = try Delivery.sample(in: .enRoute, tracksCouriers: false)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 0))
            for fix in ride(from: 0, until: 0.1) { _ = try await harness.parts.ingestFixes([fix], of: mira.id) }
            harness.move(to: 900)
            try await harness.timers.fireDue()
            let published = try await harness.published()
            #expect(!published.milestones.contains(.silent))
            let detail = try #require(published.intents.last?.step.content.detail)
            #expect(detail.text.hasPrefix("We do not follow Mira on the way"))
        }
    }

    @Test("After the end no silence is detected any more")
    func ended() async throws {
        try await Harness.run { harness in
            var delivery = try await harness.learnDelivery(in: .enRoute)
            try delivery.change(.status(.delivered, reason: nil), at: 10)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: 10))
            _ = try await harness.published()
            harness.move(to: 3_000)
            try await harness.timers.fireDue()
            #expect(try await harness.published().isEmpty)
            #expect(try await harness.pool.query("SELECT 1 AS one FROM timers").isEmpty)
        }
    }
}
