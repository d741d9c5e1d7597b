import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("Publication and risk as values")
struct PublicationDecisionTests {
    private func estimate(in remaining: Double, at now: Double = 0, width: Double = 400) -> Estimate {
        Estimate(
            arrivesAt: seconds(now + remaining), earliest: seconds(now + remaining - width / 2),
            latest: seconds(now + remaining + width / 2), madeAt: seconds(now))
    }

    @Test("Hysteresis keeps the published estimate, and force replaces it")
    func hysteresis() {
        let (shown, drifted) = (estimate(in: 900), estimate(in: 900, at: 40))
        let publication = PublicationDecision()
        #expect(publication.estimate(drifted, over: nil, milestones: [], isForced: false) == drifted)
        #expect(publication.estimate(drifted, over: shown, milestones: [], isForced: false) == nil)
        #expect(publication.estimate(drifted, over: shown, milestones: [], isForced: true) == drifted)
    }

    @Test("After other stops than the published one was made for, neither the share nor the spacing holds it")
    func otherStops() {
        let (shown, moved, drifted) = (estimate(in: 9_000), estimate(in: 9_120, at: 1), estimate(in: 9_030, at: 1))
        let publication = PublicationDecision()
        func published(_ estimate: Estimate, hasOtherStops: Bool) -> Estimate? {
            publication.estimate(
                estimate, over: shown, milestones: [], isForced: false, hasOtherStops: hasOtherStops)
        }
        #expect(published(moved, hasOtherStops: true) == moved)
        #expect(published(moved, hasOtherStops: false) == nil)
        #expect(published(drifted, hasOtherStops: true) == nil)
    }

    @Test("An urgent milestone skips the spacing, another does not")
    func urgency() {
        let (shown, moved) = (estimate(in: 300), estimate(in: 600, at: 5))
        let publication = PublicationDecision()
        #expect(publication.estimate(moved, over: shown, milestones: [.leftStore], isForced: false) == nil)
        #expect(publication.estimate(moved, over: shown, milestones: [.arriving], isForced: false) == moved)
    }

    @Test("A much tighter window is published with the arrival that is shown")
    func tighter() {
        let (shown, tight) = (estimate(in: 900), estimate(in: 840, at: 60, width: 200))
        let published = PublicationDecision().estimate(tight, over: shown, milestones: [], isForced: false)
        #expect(published?.arrivesAt == shown.arrivesAt && published?.latest == tight.latest)
    }

    @Test("A refresh is due when less than half of the freshness that it gives is left, and not for a silent phone")
    func refresh() {
        var tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector())
        tracking.published = estimate(in: 3_000, width: 100)
        tracking.lastFixAt = seconds(500)
        tracking.lastPublished.freshUntil = seconds(1_000)
        let publication = PublicationDecision()
        #expect(!publication.isRefreshDue(tracking, now: seconds(500)))
        #expect(publication.isRefreshDue(tracking, now: seconds(700)))
        tracking.detector = MilestoneDetector(isSilent: true)
        #expect(!publication.isRefreshDue(tracking, now: seconds(700)))
    }

    @Test("A refresh that the window's end leaves less than a minute to give is due in the last minute")
    func lastRefresh() {
        var tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector())
        let published = estimate(in: 900, width: 100)
        tracking.published = published
        tracking.lastFixAt = seconds(800)
        tracking.lastPublished.freshUntil = published.latest.addingTimeInterval(-50)
        let publication = PublicationDecision()
        #expect(tracking.freshUntil == published.latest)
        #expect(!publication.isRefreshDue(tracking, now: seconds(830)))
        #expect(publication.isRefreshDue(tracking, now: seconds(850)), "it would be stale at 900 s, in its window")
        tracking.lastPublished.freshUntil = published.latest
        #expect(!publication.isRefreshDue(tracking, now: seconds(940)))
    }

    @Test("A window that is about to end gives way to a later one, with a phone of long intervals sooner")
    func ending() {
        var tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector())
        tracking.published = estimate(in: 900, width: 100)
        tracking.silentAfter = 120
        let publication = PublicationDecision()
        func isEnding(at now: Double, newest: Double, silentAfter: Double = 120) -> Bool {
            tracking.estimate = estimate(in: newest, at: now, width: 100)
            tracking.silentAfter = silentAfter
            return publication.isEnding(tracking, now: seconds(now))
        }
        #expect(!isEnding(at: 900, newest: 20), "no phone was heard of")
        tracking.lastFixAt = seconds(880)
        // The window's end is at 950 s, and the newest estimate's arrival within it: hysteresis would keep it.
        #expect(isEnding(at: 900, newest: 20))
        #expect(!isEnding(at: 900, newest: 3), "three seconds later tell nobody anything")
        #expect(!isEnding(at: 880, newest: 60))
        #expect(isEnding(at: 880, newest: 60, silentAfter: 180))
        let drifted = estimate(in: 20, at: 900, width: 100)
        #expect(
            publication.estimate(drifted, over: tracking.published, milestones: [], isForced: false) == nil)
    }

    @Test("The risk grows with silence, from the very estimate that was made before it")
    func riskOfSilence() {
        let estimate = estimate(in: 300)
        let risks = stride(from: 300.0, to: 3_600, by: 300).map { silence in
            MissRisk.probability(
                of: estimate, promiseEnd: seconds(3_600), silenceSince: start, now: seconds(silence))
        }
        #expect(risks[0] < 0.01, "five minutes may be a tunnel")
        for (former, next) in zip(risks, risks.dropFirst()) { #expect(next > former) }
        #expect(risks[3] > 0.5 && risks[10] > 0.9)
    }

    @Test("The risk is 1 once the promise has passed, and reported by ten points, twice a minute at most")
    func risk() {
        #expect(MissRisk.probability(of: estimate(in: 60), promiseEnd: seconds(3_600), now: start) < 0.01)
        #expect(MissRisk.probability(of: estimate(in: 60), promiseEnd: seconds(30), now: seconds(30)) == 1)
        var tracking = TrackingState(legStartedAt: start, detector: MilestoneDetector())
        tracking.missProbability = 0.09
        #expect(!MissRisk.isReportDue(tracking, now: start))
        tracking.missProbability = 0.1
        #expect(MissRisk.isReportDue(tracking, now: start))
        tracking.riskReportedAt = start
        #expect(!MissRisk.isReportDue(tracking, now: seconds(29)) && MissRisk.isReportDue(tracking, now: seconds(30)))
    }
}
