import DomainTime
import EmulatorAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import SeededRandom
import TestSupport
import Testing
import WireCoding

@testable import APNsEmulator

@Suite("Ten hours of cards on phones", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)), .serialized)
struct TenHoursTests {
    static let phonesCount = 50
    static let ordersPerCustomer = 4
    static let faultsCount = 480
    /// Requests that one fault meets, at most.
    static let faultTimesMax = 3
    /// Seconds of a `retry-after` header.
    static let retryAfter = 60

    /// Of the run.
    static let seed = ProcessInfo.processInfo.environment["DOORSTEP_SCENARIO_SEED"].flatMap(UInt64.init) ?? 10

    @Test("After every fault at once each phone shows exactly what its deliveries are")
    func allFaults() async throws {
        let seed = Self.seed
        try await Scenario.run(seed: seed) { scenario in
            try await scenario.populate()
            let faults = await scenario.drawFaults(Self.faultsCount, until: 9.2 * 3600)
            for (at, phone, fault) in faults {
                let wait = at - scenario.clock.now.timeIntervalSince(Scenario.start)
                if wait > 0 { try await scenario.pass(wait, stepMin: 30) }
                try await scenario.happen(fault, to: phone)
            }
            try await scenario.recover()
            let (untruths, violations) = (try await scenario.untruths(), try await scenario.violations)
            let outcomes = try await scenario.outcomes
            let summary = """
                seed \(seed): \(outcomes.sorted { $0.key < $1.key }), \(scenario.apple.statistics.faults), \
                two cards for \(Int(await scenario.screens.values.map(\.longestDuplicates).max() ?? 0)) s at most
                """
            print(summary)
            #expect(untruths == [], "\(summary)")
            #expect(violations == [], "\(summary)")
            #expect(outcomes["applied", default: 0] > 1_000, "\(summary)")
            #expect(
                Set(scenario.apple.statistics.faults.keys) == Set(Fault.Kind.allCases.map(\.rawValue)), "\(summary)")
        }
    }
}

/// What may go wrong in ten hours.
enum ScenarioFault: CaseIterable, Sendable {
    case tooManyRequests, internalError, unavailable, goAway, silence, reset, closed, slow, goneToken
    case goAwayEverywhere, closedEverywhere
    case offline, budget, startBudget, rotatedStartToken, rotatedUpdateToken, killedApp, launchedApp
    case swipe, switchedOff, infrequent
    case killedBeforeSending, killedBeforeRecording, databaseAway
}

extension Scenario {
    func populate() async throws {
        for number in 0..<TenHoursTests.phonesCount {
            let (id, customer) = ("phone-\(number)", "customer-\(number)")
            let version = ["17.2", "17.4", "18.0", "26.0"].randomElement(using: &random)
            let isFrequent = !random.once(in: 5)
            let tokenDelay = random.once(in: 3) ? Int.random(in: 1...20, using: &random) : 0
            try await addPhone(id, of: customer) {
                $0.osVersion = version
                $0.frequentUpdates = isFrequent
                $0.tokenDelaySeconds = tokenDelay
            }
            guard let owner = CustomerID(rawValue: customer) else { continue }
            for order in 0..<TenHoursTests.ordersPerCustomer {
                let isLong = order == 0 && random.once(in: 3)
                let placedAt = Scenario.start + Double.random(in: 0...(isLong ? 0.4 : 9.6), using: &random) * 3600
                add(.random(of: owner, placedAt: placedAt, isLong: isLong, using: &random))
            }
        }
    }

    /// Draws what goes wrong, when and on which phone; each kind as often as any other.
    func drawFaults(
        _ count: Int, until end: TimeInterval
    ) -> [(at: TimeInterval, phone: String, fault: ScenarioFault)] {
        let phones = screens.keys.sorted()
        return (0..<count).map { number in
            (
                Double.random(in: 0...end, using: &random), phones.randomElement(using: &random) ?? "",
                ScenarioFault.allCases[number % ScenarioFault.allCases.count]
            )
        }.sorted { $0.at < $1.at }
    }

    func happen(_ fault: ScenarioFault, to phone: String) async throws {
        let event = random.once(in: 2) ? nil : ["start", "update", "end"].randomElement(using: &random)
        let times = Int.random(in: 1...TenHoursTests.faultTimesMax, using: &random)
        let applies = Bool.random(using: &random)
        func meet(_ fault: Fault) {
            var fault = fault
            (fault.phone, fault.event, fault.times) = (phone, event, fault.kind == .silence ? 1 : times)
            add(fault)
        }
        switch fault {
        case .tooManyRequests:
            meet(Fault(kind: .answer, reason: "TooManyRequests", retryAfter: applies ? TenHoursTests.retryAfter : nil))
        case .internalError: meet(Fault(kind: .answer, reason: "InternalServerError"))
        case .unavailable: meet(Fault(kind: .answer, reason: applies ? "Shutdown" : "ServiceUnavailable"))
        case .goAway: meet(Fault(kind: .goAway, applies: applies, isProcessed: applies || random.once(in: 2)))
        case .silence: meet(Fault(kind: .silence, applies: applies))
        case .reset: meet(Fault(kind: .resetStream, applies: applies))
        case .closed: meet(Fault(kind: .closeConnection, applies: applies))
        case .slow: meet(Fault(kind: .delay, delayMilliseconds: 20))
        case .goneToken:
            let since = clock.now.epochSeconds - (applies ? 12 * 3600 : 0)
            meet(Fault(kind: .answer, reason: "Unregistered", since: since))
        case .goAwayEverywhere: apple.goAway(reason: "Shutdown")
        case .closedEverywhere: apple.closeConnections()
        case .offline: try setOnline(phone, try !fleetPhone(phone).phone.isOnline)
        case .budget: try exhaust(phone, updates: true, starts: false)
        case .startBudget: try exhaust(phone, updates: false, starts: true)
        case .rotatedStartToken: try rotateStartToken(phone)
        case .rotatedUpdateToken: try rotateUpdateTokens(phone)
        case .killedApp: try await killApp(phone)
        case .launchedApp: try await launchApp(phone)
        case .swipe:
            guard let card = try fleetPhone(phone).phone.phone.liveCards.randomElement(using: &random) else { return }
            try swipe(phone, activity: card.attributes.activity)
        case .switchedOff:
            try switchActivities(phone, on: try fleetPhone(phone).phone.phone.permission == .switchedOff)
        case .infrequent: try switchFrequentUpdates(phone, on: try !fleetPhone(phone).phone.allowsFrequentUpdates)
        case .killedBeforeSending: kill(.beforeSending)
        case .killedBeforeRecording: kill(.beforeRecording)
        case .databaseAway: loseDatabase()
        }
    }

    /// Ends the faults: what the people did is undone, and every app is opened now and once a start has surely arrived
    /// or not.
    func recover() async throws {
        endFaults()
        for phone in screens.keys.sorted() {
            try setOnline(phone, true)
            if try fleetPhone(phone).phone.phone.permission == .switchedOff { try switchActivities(phone, on: true) }
        }
        // The hour of the budgets that were used up.
        for minutes in [12.0, 25, 25, 12, 6] {
            for phone in screens.keys.sorted() { try await launchApp(phone) }
            try await pass(minutes * 60, stepMin: 30)
        }
    }
}
