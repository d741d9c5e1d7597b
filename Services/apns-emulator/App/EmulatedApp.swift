import Foundation
import LiveActivity
import Logging
import NIOHTTP1
import PhoneRules
import WireCoding

/// The app on an emulated phone: registers, uploads its tokens, reports what ActivityKit shows it, ends the cards that
/// the service does not want, brings cards up to date, starts those at its launch that are missing, and presses links.
struct EmulatedApp: Sendable {
    let phone: String
    let fleet: PhoneFleet
    let service: any AppExchange
    let logger: Logger

    /// The first on which the app follows cards, as the sample does (docs/ios.md).
    static let firstSystem = OSVersion(16, 2)

    /// Runs until the phone is deleted or the task is cancelled.
    func run(_ notices: AsyncStream<AppNotice>) async {
        var memory = AppMemory()
        for await notice in notices {
            do {
                try await handle(notice, &memory)
                fleet.setAppError(nil, of: phone)
            } catch is CancellationError {
                return
            } catch is PhoneFleet.NoSuchPhone {
                return
            } catch {
                memory.isRegistered = false
                fleet.setAppError("\(error)", of: phone)
                logger.warning("an app's request failed", metadata: ["phone": "\(phone)", "reason": "\(error)"])
            }
        }
    }

    /// Does what one notice is worth: registers, reports, and ends what the service does not want.
    func handle(_ notice: AppNotice, _ memory: inout AppMemory) async throws {
        let now = fleet.clock.now
        let phone = try fleet.phone(self.phone)
        guard phone.phone.isAppRunning(at: now), phone.phone.isOnline,
            phone.phone.settings.osVersion >= Self.firstSystem
        else { return }
        let isLaunch = notice == .launched || !memory.isRegistered
        let allowsActivities = phone.phone.phone.permission != .switchedOff
        if isLaunch || notice == .registrationChanged || allowsActivities != memory.allowsActivities {
            try await register(phone, &memory, at: now)
        }
        let reports =
            isLaunch
            ? memory.inventory(of: phone.phone, in: phone.environment, at: now)
            : memory.reports(of: notice, on: phone.phone, in: phone.environment, at: now)
        try await report(reports, &memory)
        if isLaunch { try await showWanted(&memory) }
        if notice == .leftForeground { try await endUnconfirmed(&memory) }
        if case .pressed(let instance, let link) = notice { try await press(link, on: instance, &memory) }
    }

    /// Sends reports, and ends the cards that the answer names.
    func report(_ reports: [AppReport], _ memory: inout AppMemory) async throws {
        guard !reports.isEmpty else { return }
        let answer = try await service.send(.POST, "/reports", try WireJSON.encode(AppReports(reports: reports)))
        // An answer that orders nothing has no instruction in it.
        let instruction = try? WireJSON.decode(AppInstruction.self, from: answer)
        let instances = instruction?.instances ?? []
        memory.confirm(reports, kept: Set(instances.filter { $0.action == "keep" }.map(\.instance)))
        for instance in instances where instance.action == "end" {
            _ = try fleet.change(self.phone) { $0.endFromApp(instance: instance.instance, at: $1) }
        }
    }

    /// Brings cards up to date that show older content than is wanted, and in the foreground starts what is wanted by now
    /// and not on the screen.
    private func showWanted(_ memory: inout AppMemory) async throws {
        var failures: [AppReport] = []
        let wanted = try await wanted()
        try await endUnwanted(wanted, &memory)
        for one in wanted {
            let phone = try fleet.phone(self.phone).phone
            let shown = one.cards(among: phone.activities)
            for card in shown where card.state != .pending && one.isOutdated(card, at: fleet.clock.now) {
                try update(card.instance, to: one.shown, timestamp: one.timestamp, &memory)
            }
            guard shown.isEmpty, case .running = phone.app else { continue }
            _ = try fleet.change(self.phone) { phone, now in
                guard one.startAt <= now, one.cards(among: phone.activities).isEmpty else { return [] }
                do throws(LocalStartRefusal) {
                    return try phone.startFromApp(one.shown, at: now)
                } catch {
                    failures.append(memory.failure(error, of: one, at: now))
                    return []
                }
            }
        }
        try schedule(wanted, &memory)
        try await report(failures, &memory)
    }

    private func wanted() async throws -> [AppWanted.Activity] {
        do {
            let answer = try await service.send(.GET, "/wanted", nil)
            return try WireJSON.decode(AppWanted.self, from: answer).activities
        } catch let refused as HTTPAppExchange.Refused where refused.status == 404 {
            // A service from before this route: pushes start every card.
            return []
        }
    }

    /// Puts content on a card, where the service gives a timestamp for its order among pushes.
    private func update(
        _ instance: String, to shown: ShownActivity, timestamp: Int?, _ memory: inout AppMemory
    ) throws {
        guard let timestamp else { return }
        memory.updated[instance] = shown.content.revision
        _ = try fleet.change(phone) { $0.updateFromApp(shown, instance: instance, timestamp: timestamp, at: $1) }
    }

    /// Presses a card's link, and shows the outcome on the card.
    private func press(_ link: String, on instance: String, _ memory: inout AppMemory) async throws {
        let pressed = try await service.press(link)
        guard let card = try fleet.phone(phone).phone.activity(instance),
            let one = try await wanted().first(where: { !$0.cards(among: [card]).isEmpty })
        else { return }
        let content = pressed.content(one.content)
        guard card.content.revision <= content.revision else { return }
        let shown = one.shown
        try update(
            instance,
            to: ShownActivity(
                attributes: shown.attributes, content: content, startAt: shown.startAt, staleAt: shown.staleAt,
                relevance: shown.relevance, alert: nil), timestamp: one.timestamp, &memory)
    }

    private func register(_ phone: FleetPhone, _ memory: inout AppMemory, at now: Int) async throws {
        let token = phone.phone.startToken.map {
            memory.token($0, of: nil, in: phone.environment, at: now)
        }
        let allowsActivities = phone.phone.phone.permission != .switchedOff
        let body = AppRegistration(
            locale: phone.language, activitiesEnabled: allowsActivities,
            frequentPushesEnabled: phone.phone.allowsFrequentUpdates,
            osVersion: phone.phone.settings.osVersion.description, bundleID: phone.phone.settings.bundleID,
            pushToStartToken: token, secret: memory.secret)
        let answer = try await service.send(.PUT, "", try WireJSON.encode(body))
        // An answer without a readable secret leaves the former one in use.
        if let secret = (try? WireJSON.decode(Registered.self, from: answer))?.secret { memory.secret = secret }
        (memory.isRegistered, memory.allowsActivities) = (true, allowsActivities)
    }

    private struct Registered: Decodable {
        let secret: String?
    }
}
