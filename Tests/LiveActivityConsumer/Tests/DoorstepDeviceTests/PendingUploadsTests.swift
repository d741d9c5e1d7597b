import LiveActivity
import Testing

@testable import DoorstepDevice

@Suite("What waits to be sent")
struct PendingUploadsTests {
    private static func report(_ kind: ReportBody.Kind, _ instance: String, token: String? = nil, version: Int = 1)
        -> ReportBody
    {
        ReportBody(
            instance: instance, kind: kind, revision: Revision(version: version, step: 0),
            updateToken: token.map { PushTokenBody(value: $0) })
    }

    @Test("Of each thing only the newest is sent, and a start stays beside the state that follows it")
    func newest() {
        var pending = PendingUploads()
        pending.isRegistered = true
        pending.add(Self.report(.started, "i-1"))
        pending.add(Self.report(.shown, "i-1", version: 2))
        pending.add(Self.report(.started, "i-1", token: "aa", version: 2))
        pending.add(Self.report(.started, "i-1", version: 3))
        pending.add(Self.report(.stale, "i-2"))
        pending.add(Self.report(.dismissed, "i-1", version: 3))
        #expect(
            pending.next()
                == .reports(
                    [
                        Self.report(.started, "i-1", token: "aa", version: 3),
                        Self.report(.dismissed, "i-1", version: 3), Self.report(.stale, "i-2"),
                    ], hasInventory: false))
        #expect(pending.next() == nil)
    }

    @Test("The registration goes first, then the inventory with the reports, then the question what is wanted")
    func order() {
        var pending = PendingUploads()
        pending.needsWanted = true
        pending.needsInventory = true
        pending.needsRegistration = true
        pending.add(Self.report(.shown, "i-1"))
        #expect(pending.next() == .registration)
        #expect(pending.next() == nil, "nothing but a registration before the device is registered")
        pending.isRegistered = true
        #expect(pending.next() == .reports([Self.report(.shown, "i-1")], hasInventory: true))
        #expect(pending.next() == .wanted)
        #expect(pending.next() == nil)
    }

    @Test("What is put back is sent before what came later, without what has become newer")
    func putBack() throws {
        var pending = PendingUploads()
        pending.isRegistered = true
        pending.needsInventory = true
        pending.add(Self.report(.shown, "i-1"))
        pending.add(Self.report(.shown, "i-2"))
        let next = pending.next()
        let upload = try #require(next)
        pending.add(Self.report(.stale, "i-3"))
        pending.add(Self.report(.ended, "i-1"))
        pending.putBack(upload)
        #expect(
            pending.next()
                == .reports(
                    [Self.report(.shown, "i-2"), Self.report(.stale, "i-3"), Self.report(.ended, "i-1")],
                    hasInventory: true))
    }

    @Test("A token that is put back stays with the newer report of its card, unless that has a newer one")
    func putBackToken() throws {
        for (newer, expected) in [(nil, "aa"), ("bb", "bb")] as [(String?, String)] {
            var pending = PendingUploads()
            pending.isRegistered = true
            pending.add(Self.report(.started, "i-1", token: "aa"))
            let next = pending.next()
            let upload = try #require(next)
            pending.add(Self.report(.started, "i-1", token: newer, version: 2))
            pending.putBack(upload)
            let report = Self.report(.started, "i-1", token: expected, version: 2)
            #expect(pending.next() == .reports([report], hasInventory: false))
            #expect(pending.next() == nil)
        }
    }

    @Test("That the app put a revision on the card is not lost with the report that a later one replaces")
    func updatedByApp() throws {
        var shown = Self.report(.shown, "i-1", version: 2)
        shown.isUpdatedByApp = true
        for (version, isUpdatedByApp) in [(2, true), (3, nil)] as [(Int, Bool?)] {
            var expected = Self.report(.stale, "i-1", version: version)
            expected.isUpdatedByApp = isUpdatedByApp
            var pending = PendingUploads()
            pending.isRegistered = true
            pending.add(shown)
            pending.add(Self.report(.stale, "i-1", version: version))
            #expect(pending.next() == .reports([expected], hasInventory: false))
            pending.add(shown)
            let next = pending.next()
            let upload = try #require(next)
            pending.add(Self.report(.stale, "i-1", version: version))
            pending.putBack(upload)
            #expect(pending.next() == .reports([expected], hasInventory: false))
        }
    }

    @Test("Once its owner allows Live Activities, refusals by the switch are sent no more, and later ones are")
    func refusals() throws {
        func failure(_ card: String, _ code: String) -> ReportBody { ReportBody(card: card, kind: .failed, code: code) }
        var pending = PendingUploads()
        pending.isRegistered = true
        pending.add(failure("c-1", "denied"))
        pending.add(failure("c-2", "targetMaximumExceeded"))
        let next = pending.next()
        let upload = try #require(next)
        pending.add(failure("c-3", "denied"))
        pending.dropRefusals()
        pending.add(failure("c-4", "denied"))
        pending.putBack(upload)
        let left = [failure("c-2", "targetMaximumExceeded"), failure("c-4", "denied")]
        let second = pending.next()
        #expect(second == .reports(left, hasInventory: false))
        // Begun after the owner's choice, so that it is of a later one.
        pending.putBack(try #require(second))
        #expect(pending.next() == .reports(left, hasInventory: false))
    }

    @Test("It is bounded: a request has 50 reports, and 200 wait; an inventory tells what the dropped ones would have")
    func bounds() {
        var pending = PendingUploads()
        pending.isRegistered = true
        for number in 1...200 { pending.add(Self.report(.shown, "i-\(number)")) }
        #expect(!pending.needsInventory)
        for number in 201...250 { pending.add(Self.report(.shown, "i-\(number)")) }
        #expect(pending.needsInventory)
        var sent: [String] = []
        while case .reports(let reports, _) = pending.next() {
            #expect(reports.count == 50)
            sent += reports.compactMap(\.instance)
        }
        #expect(sent == (51...250).map { "i-\($0)" })
    }

    @Test(
        "Pauses double up to a minute, are spread, and are as long as the server asks",
        arguments: [
            (1, 1.0, nil, 1000), (2, 1, nil, 2000), (3, 0, nil, 2000), (6, 1, nil, 32_000), (7, 1, nil, 60_000),
            (400, 1, nil, 60_000), (1, 1, 30, 30_000), (7, 1, 30, 60_000), (1, 0, -5, 500), (1, 1, 90_000, 3_600_000),
        ] as [(Int, Double, Int?, Int)])
    func delay(failures: Int, jitter: Double, retryAfter: Int?, milliseconds: Int) {
        let delay = RetryDelay.after(failures: failures, jitter: jitter, retryAfterSeconds: retryAfter)
        #expect(delay == .milliseconds(milliseconds))
    }
}
