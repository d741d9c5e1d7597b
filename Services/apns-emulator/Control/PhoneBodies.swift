import EmulatorAPI
import LiveActivity
import PhoneRules

extension NewEmulatedPhoneBody {
    /// A field that is wrong.
    struct Invalid: Error {
        let message: String
    }

    /// - Parameter defaultServiceURL: where apps register whose phone names no service; nil where each must.
    func phone(at now: Int, defaultServiceURL: String? = nil) throws(Invalid) -> FleetPhone {
        guard (1...64).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        else { throw Invalid(message: "id: is not 1 to 64 letters, digits, - and _") }
        guard let osVersion = OSVersion(osVersion ?? "18.0") else {
            throw Invalid(message: "osVersion: is not a version such as 17.2")
        }
        guard !bundleID.isEmpty, !bundleID.hasSuffix(PushRequest.topicSuffix) else {
            throw Invalid(message: "bundleID: is the app's own, without \(PushRequest.topicSuffix)")
        }
        if serviceURL != nil, customerToken == nil {
            throw Invalid(message: "customerToken: is missing; without it the app cannot register at serviceURL")
        }
        let serviceURL = serviceURL ?? defaultServiceURL
        if customerToken != nil, serviceURL == nil {
            throw Invalid(message: "serviceURL: is missing, and apns-emulator was started without --service-url")
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
        settings.pendingHasToken = pendingHasToken ?? settings.pendingHasToken
        settings.pendingTakesPushes = pendingTakesPushes ?? settings.pendingTakesPushes
        var phone = PushedPhone(settings, allowsFrequentUpdates: frequentUpdates ?? true, at: now)
        phone.clockSkewSeconds = clockSkewSeconds ?? 0
        if activities == false { _ = phone.switchLiveActivities(on: false, at: now) }
        var service: FleetPhone.AppService?
        if let serviceURL, let customerToken {
            service = FleetPhone.AppService(
                url: serviceURL.withoutLastSlash, token: customerToken, device: device ?? id)
        }
        return FleetPhone(
            id: id, environment: environment ?? .production, language: language ?? "en",
            service: service, phone: phone)
    }
}

extension String {
    /// A base URL without the slash at its end.
    var withoutLastSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

extension EmulatedPhoneBody {
    /// The pushes of a phone in an answer.
    enum Log {
        case none, all
        /// The newest ones.
        case newest(Int)
    }

    init(_ known: FleetPhone, at now: Int, log: Log) {
        let pushes: [PushLogLine]? =
            switch log {
            case .none: nil
            case .all: known.log
            case .newest(let count): Array(known.log.suffix(count))
            }
        self.init(
            known.phone, id: known.id, environment: known.environment, language: known.language,
            appError: known.appError, counts: known.counts, pushes: pushes, at: now)
    }
}

extension PhoneActionBody {
    /// Does it.
    func apply(to phone: inout PushedPhone, at now: Int) -> [PhoneEffect] {
        let instances = instance.map { [$0] } ?? phone.activities.map(\.instance)
        switch action {
        case .killApp: return phone.killApp(at: now)
        case .forceQuit: return phone.forceQuitApp(at: now)
        case .launchApp: return phone.launchApp(at: now)
        case .leaveApp: return phone.leaveApp(at: now)
        case .goOffline: return phone.setOnline(false, at: now)
        case .goOnline: return phone.setOnline(true, at: now)
        case .swipe: return instances.flatMap { phone.swipe(instance: $0, at: now) }
        case .tapButton:
            return instances.flatMap { phone.tapButton(verb ?? Verb.details.rawValue, instance: $0, at: now) }
        case .switchActivitiesOff: return phone.switchLiveActivities(on: false, at: now)
        case .switchActivitiesOn: return phone.switchLiveActivities(on: true, at: now)
        case .switchFrequentUpdatesOff: return phone.switchFrequentUpdates(on: false, at: now)
        case .switchFrequentUpdatesOn: return phone.switchFrequentUpdates(on: true, at: now)
        case .holdIsland: return phone.holdIsland(open: true, at: now)
        case .releaseIsland: return phone.holdIsland(open: false, at: now)
        case .addOtherApp: return phone.updateOtherApp(kind ?? .app, at: now)
        case .removeOtherApp: return phone.endOtherApps(kind, at: now)
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
