import Foundation
import LiveActivity
import PhoneRules

/// `POST /phones`.
struct NewPhoneBody: Codable, Sendable {
    let id: String
    var osVersion: String?
    let bundleID: String
    var environment: APNsEnvironment?
    var island: Bool?
    var frequentUpdates: Bool?
    var language: String?
    var attributesType: String?
    /// Whether Live Activities are allowed.
    var activities: Bool?
    /// Pushes of priority 10 in an hour, without and with frequent updates, and starts.
    var standardBudget: Int?
    var frequentBudget: Int?
    var startBudget: Int?
    var tokenDelaySeconds: Int?
    var endedTokenSeconds: Int?
    /// Seconds that the phone's clock is ahead.
    var clockSkewSeconds: Int?
    /// Phones with one seed have the same tokens; the id's by default.
    var tokenSeed: UInt64?
    /// Base URL of the service that its app registers with, and the customer's token; neither for an app that is mute.
    var serviceURL: String?
    var customerToken: String?
    /// The device's id at the service; the phone's by default.
    var device: String?

    /// A field that is wrong.
    struct Invalid: Error {
        let message: String
    }

    func phone(at now: Int) throws(Invalid) -> FleetPhone {
        guard (1...64).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        else { throw Invalid(message: "id: is not 1 to 64 letters, digits, - and _") }
        guard let osVersion = OSVersion(osVersion ?? "18.0") else {
            throw Invalid(message: "osVersion: is not a version such as 17.2")
        }
        guard !bundleID.isEmpty, !bundleID.hasSuffix(PushRequest.topicSuffix) else {
            throw Invalid(message: "bundleID: is the app's own, without \(PushRequest.topicSuffix)")
        }
        guard (serviceURL == nil) == (customerToken == nil) else {
            throw Invalid(message: "serviceURL and customerToken: give both or neither")
        }
        for (name, value) in [
            ("standardBudget", standardBudget), ("frequentBudget", frequentBudget), ("startBudget", startBudget),
            ("tokenDelaySeconds", tokenDelaySeconds), ("endedTokenSeconds", endedTokenSeconds),
        ] {
            if let value, !(0...1_000_000).contains(value) { throw Invalid(message: "\(name): is not 0 to 1000000") }
        }
        if let clockSkewSeconds, abs(clockSkewSeconds) > 366 * 86_400 {
            throw Invalid(message: "clockSkewSeconds: is more than a year")
        }
        let seed = tokenSeed ?? id.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        var settings = PushedPhone.Settings(osVersion: osVersion, bundleID: bundleID, tokenSeed: seed)
        settings.hasIsland = island ?? true
        settings.attributesType = attributesType ?? settings.attributesType
        settings.standardBudget = standardBudget ?? settings.standardBudget
        settings.frequentBudget = frequentBudget ?? settings.frequentBudget
        settings.startBudget = startBudget ?? settings.startBudget
        settings.tokenDelaySeconds = tokenDelaySeconds ?? 0
        settings.endedTokenSeconds = endedTokenSeconds ?? settings.endedTokenSeconds
        var phone = PushedPhone(settings, allowsFrequentUpdates: frequentUpdates ?? true, at: now)
        phone.clockSkewSeconds = clockSkewSeconds ?? 0
        if activities == false { _ = phone.switchLiveActivities(on: false, at: now) }
        var service: FleetPhone.AppService?
        if let serviceURL, let customerToken {
            let url = serviceURL.hasSuffix("/") ? String(serviceURL.dropLast()) : serviceURL
            service = FleetPhone.AppService(url: url, token: customerToken, device: device ?? id)
        }
        return FleetPhone(
            id: id, environment: environment ?? .production, language: language ?? "en", service: service, phone: phone)
    }
}

/// What a phone shows and is, now: `GET /phones/{id}`, and each event of its stream.
struct PhoneBody: Codable, Sendable {
    struct Card: Codable, Sendable {
        /// `Activity.id`.
        let instance: String
        let state: PhoneCard.State
        let attributes: GroceryDeliveryAttributes
        let content: GroceryDeliveryAttributes.ContentState
        /// Of the newest push that was applied, epoch seconds.
        let timestamp: Int
        let startedAt: Int
        let staleAt: Int?
        let endedAt: Int?
        let dismissedAt: Int?
        let relevance: Double
        let wasEndedBySystem: Bool
        let alert: PhoneAlert?
        let updateToken: String?
    }

    struct Island: Codable, Sendable {
        /// `empty`, `compact`, `expanded` or `minimal`.
        let form: String
        let instance: String?
    }

    struct Budgets: Codable, Sendable {
        let updatesLeft: Int
        let updatesPerHour: Int
        let startsLeft: Int
        let startsPerHour: Int
    }

    let id: String
    let bundleID: String
    let environment: APNsEnvironment
    let osVersion: String
    let language: String
    /// The phones' time, epoch seconds.
    let now: Int
    let clockSkewSeconds: Int
    let hasIsland: Bool
    let online: Bool
    /// `running`, `background` or `not-running`.
    let app: String
    let appError: String?
    let activitiesEnabled: Bool
    let frequentUpdates: Bool
    let startToken: String?
    /// The Lock Screen, top first.
    let lockScreen: [String]
    let island: Island
    /// The instance whose alert is a banner on a phone without an island.
    let banner: String?
    let budgets: Budgets
    /// Every card that is remembered, dismissed ones included, in the order they started.
    let cards: [Card]
    /// Pushes by what became of them.
    let counts: [String: Int]
    /// Pushes, oldest first; the newest 500 or more.
    let pushes: [PushLogLine]?

    /// - Parameter hasLog: whether the log of pushes is in it.
    init(_ known: FleetPhone, at now: Int, hasLog: Bool) {
        let phone = known.phone
        let screen = phone.phone
        id = known.id
        bundleID = phone.settings.bundleID
        environment = known.environment
        osVersion = phone.settings.osVersion.description
        language = known.language
        self.now = now
        clockSkewSeconds = phone.clockSkewSeconds
        hasIsland = screen.hasIsland
        online = phone.isOnline
        switch phone.app {
        case .running: app = "running"
        case .inBackground(let until): app = now < until ? "background" : "not-running"
        case .notRunning: app = "not-running"
        }
        appError = known.appError
        activitiesEnabled = screen.permission != .switchedOff
        frequentUpdates = phone.allowsFrequentUpdates
        startToken = phone.startToken
        lockScreen = screen.lockScreen.map(\.id)
        switch screen.alertedIsland {
        case .empty: island = Island(form: "empty", instance: nil)
        case .compact(let card): island = Island(form: "compact", instance: card.id)
        case .expanded(let card): island = Island(form: "expanded", instance: card.id)
        case .minimal(let card, _): island = Island(form: "minimal", instance: card.id)
        }
        banner = screen.banner?.id
        budgets = Budgets(
            updatesLeft: phone.budget.left(at: now), updatesPerHour: phone.budget.size,
            startsLeft: phone.startBudget.left(at: now), startsPerHour: phone.startBudget.size)
        cards = screen.rememberedCards.map { card in
            Card(
                instance: card.id, state: card.state, attributes: card.attributes, content: card.content,
                timestamp: card.timestamp, startedAt: card.startedAt, staleAt: card.staleAt, endedAt: card.endedAt,
                dismissedAt: card.dismissedAt, relevance: card.relevance, wasEndedBySystem: card.wasEndedBySystem,
                alert: card.alert, updateToken: phone.updateToken(of: card.id))
        }
        counts = known.counts
        pushes = hasLog ? known.log : nil
    }
}

/// `POST /phones/{id}/actions`: what happens to a phone.
struct PhoneActionBody: Codable, Sendable {
    enum Action: String, Codable, CaseIterable, Sendable {
        case killApp = "kill-app"
        case launchApp = "launch-app"
        case goOffline = "go-offline"
        case goOnline = "go-online"
        case swipe
        case switchActivitiesOff = "switch-activities-off"
        case switchActivitiesOn = "switch-activities-on"
        case switchFrequentUpdatesOff = "switch-frequent-updates-off"
        case switchFrequentUpdatesOn = "switch-frequent-updates-on"
        case rotateStartToken = "rotate-start-token"
        case rotateUpdateToken = "rotate-update-token"
        case exhaustBudget = "exhaust-budget"
        case exhaustStartBudget = "exhaust-start-budget"
        case setClockSkew = "set-clock-skew"
    }

    let action: Action
    /// With `swipe` and `rotate-update-token`: which card, by its `Activity.id`; every live one where it is left out.
    var instance: String?
    /// With a rotation: whether the former token is still answered 200 while nothing happens.
    var deaf: Bool?
    /// With `set-clock-skew`.
    var seconds: Int?

    /// Does it.
    func apply(to phone: inout PushedPhone, at now: Int) -> [PhoneEffect] {
        let instances = instance.map { [$0] } ?? phone.activities.map(\.instance)
        switch action {
        case .killApp: return phone.killApp(at: now)
        case .launchApp: return phone.launchApp(at: now)
        case .goOffline: return phone.setOnline(false, at: now)
        case .goOnline: return phone.setOnline(true, at: now)
        case .swipe: return instances.flatMap { phone.swipe(instance: $0, at: now) }
        case .switchActivitiesOff: return phone.switchLiveActivities(on: false, at: now)
        case .switchActivitiesOn: return phone.switchLiveActivities(on: true, at: now)
        case .switchFrequentUpdatesOff: return phone.switchFrequentUpdates(on: false, at: now)
        case .switchFrequentUpdatesOn: return phone.switchFrequentUpdates(on: true, at: now)
        case .rotateStartToken: return phone.rotate(.start, isFormerDeaf: deaf ?? false, at: now)
        case .rotateUpdateToken:
            return instances.flatMap { phone.rotate(.update(instance: $0), isFormerDeaf: deaf ?? false, at: now) }
        case .exhaustBudget:
            phone.exhaustBudgets(updates: true, starts: false, at: now)
            return []
        case .exhaustStartBudget:
            phone.exhaustBudgets(updates: false, starts: true, at: now)
            return []
        case .setClockSkew:
            phone.clockSkewSeconds = seconds ?? 0
            return phone.advance(to: now)
        }
    }
}
