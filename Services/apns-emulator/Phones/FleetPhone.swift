import EmulatorAPI
import Foundation
import PhoneRules

/// One phone of the emulator: its rules, its place in Apple's service, and what is remembered of its pushes.
struct FleetPhone: Sendable {
    /// Pushes that are remembered, the newest.
    static let logLinesMax = 500

    let id: String
    let environment: APNsEnvironment
    let topic: String
    let language: String
    /// Where the app registers; nil for a phone whose app talks to nobody.
    let service: AppService?
    var phone: PushedPhone
    /// What became of the pushes, oldest first.
    private(set) var log: [PushLogLine] = []
    /// Pushes that were settled, by what became of them.
    private(set) var counts: [String: Int] = [:]
    /// What the app's last exchange with its service was answered with; nil before the first and after a good one.
    var appError: String?
    var nextChangeAt: Int?
    var indexedTokensVersion = -1
    var observers: [UUID: AsyncStream<Void>.Continuation] = [:]
    var inbox: AsyncStream<AppNotice>.Continuation?

    /// Where an emulated app registers and reports, and as whom.
    struct AppService: Hashable, Sendable {
        /// Base URL of `activity-dispatch`.
        let url: String
        /// The customer's token.
        let token: String
        /// The device's id there.
        let device: String
    }

    init(
        id: String, environment: APNsEnvironment, language: String, service: AppService?, phone: PushedPhone
    ) {
        self.id = id
        self.environment = environment
        topic = phone.settings.bundleID + PushRequest.topicSuffix
        self.language = language
        self.service = service
        self.phone = phone
    }

    /// Writes down a push, or that a stored one was settled.
    mutating func record(_ line: PushLogLine) {
        counts[line.outcome.rawValue, default: 0] += 1
        // Cut by halves, so that a flood of pushes does not move the log at each.
        if log.count >= Self.logLinesMax * 2 { log.removeFirst(log.count - Self.logLinesMax) }
        log.append(line)
    }
}
