import BackgroundWork
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Registers a device or updates its registration, and makes the cards of its customer's live activities.
struct RegisterDevice: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let fanOut: WantedStateFanOut
    let hub: StreamHub
    let wakeSignals: WakeSignalGroup
    let outbox: any Outbox
    var wall: @Sendable () -> Date = { Date() }
    /// Devices of one customer by tokens of one store, or of none; one more is refused.
    ///
    /// A phone, a tablet and their successors are few; each costs a card of every delivery, and a push for each change.
    var devicesPerCustomerMax = 20
    /// Days after its last registration that a device without a card is kept.
    var devicesDays = RetentionTimes().devicesDays

    /// The customer has the maximum of devices already.
    struct TooManyDevices: Error {
        let devicesMax: Int
        /// Days after its last registration that a device is kept.
        let devicesDays: Int
    }

    /// The device is the customer's, but registered for more than the token's scope.
    struct OutOfScope: Error {}

    /// The device is another customer's, and its secret was not sent.
    struct SecretRequired: Error {}

    struct Registration: Sendable {
        let stored: StoredDevice
        /// The secret for the device to keep; nil where the device has sent its own.
        let newSecret: DeviceSecret?
    }

    /// A field of a registration or report that is wrong.
    struct Invalid: Error {
        let path: String
        let message: String
    }

    static let textCharactersMax = 64

    /// Registers the device for the customer.
    ///
    /// Another customer's device needs its secret, if it ever had one. Its own customer needs none: a secret that was
    /// not sent, or not received, is replaced.
    ///
    /// - Throws: ``Invalid``, ``OutOfScope``, ``SecretRequired`` and ``TooManyDevices``.
    func callAsFunction(
        _ id: DeviceID, _ body: RegisterDeviceBody, for customer: CustomerID, within scope: TokenScope = TokenScope()
    ) async throws -> Registration {
        let now = clock.now
        var random = SystemRandomNumberGenerator()
        let secret = DeviceSecret(using: &random)
        let sentHash = body.secret.map { DeviceSecret($0).hash }
        let change = try tokenChange(body.pushToStartToken, now)
        let uploaded: PushToken? = if case .set(let token)? = change { token } else { nil }
        var wanted = try device(id, body, customer, now)
        wanted.store = scope.store
        let (registration, former, messages) = try await pool.withTransaction(retriesMax: 3) { transaction in
            _ = try await ActivityRepository.lockCustomer(customer, in: transaction)
            let locked = try await ActivityRepository.lockDevices(id, with: uploaded, in: transaction)
            let known = locked.first { $0.device.id == id }
            if let known, known.device.customer == customer, !known.device.isUsable(within: scope) {
                throw OutOfScope()
            }
            let isProven = sentHash != nil && known?.secretHash == sentHash
            if known?.device.customer != customer || known?.device.store != scope.store {
                try await checkCount(of: customer, in: scope.store, on: transaction)
            }
            // A device from before secrets gets one here, as at every registration.
            if let known, known.device.customer != customer, known.secretHash != nil, !isProven {
                throw SecretRequired()
            }
            var device = wanted
            device.pushToStartToken = known?.device.pushToStartToken
            device.startFailures = known?.device.startFailures ?? Failures()
            device.apply(change)
            var formerHolders = locked.map(\.device).filter { $0.sharesStartToken(with: device) }
            // A generation counts the tokens of one device only; observed at the same time, it is this one's.
            let observedAt = device.pushToStartToken?.observedAt ?? .distantPast
            if formerHolders.compactMap(\.pushToStartToken).contains(where: { $0.observedAt > observedAt }) {
                // A late upload: the phone is the other device's by now.
                device.pushToStartToken = nil
                formerHolders = []
            }
            // The budget of starts belongs to the phone, not to the customer who signs in.
            if let known, known.device.transport == device.transport { device.starts = known.device.starts }
            let secretHash = isProven ? known?.secretHash : secret.hash
            try await transaction.execute(ActivityRepository.save(device, secretHash: secretHash))
            let cards = try await ActivityRepository.cards(on: id, in: transaction)
            let live = try await ActivityRepository.live(of: customer, on: transaction)
            let new = missingCards(of: live, on: device, cards: cards.map(\.card)).map {
                fanOut.card($0, on: device, now)
            }
            var statements = ActivityRepository.save(new.map { StoredCard($0) })
            statements.append(ActivityRepository.makeDue([id], at: now))
            if !formerHolders.isEmpty {
                statements.append(ActivityRepository.forgetStartTokens(of: formerHolders.map(\.id)))
            }
            if known?.device.allowsFrequentPushes == true, !device.allowsFrequentPushes,
                let size = fanOut.transports.of(device.transport)?.limits.on(device).deviceUrgentPushes
            {
                // The phone also counts pushes from before its owner switched frequent updates off.
                statements.append(ActivityRepository.recountUrgentPushes(of: id, size, at: now))
            }
            try await transaction.batch(statements)
            let messages = try await RecountHealth(outbox: outbox)(from: cards, to: new, at: now, in: transaction)
            let stored = StoredDevice(
                device: device, lastEventID: known?.lastEventID ?? 0, secretHash: secretHash)
            return (
                Registration(stored: stored, newSecret: isProven ? nil : secret),
                known?.device.customer == customer ? nil : known?.device.customer, messages
            )
        }
        outbox.publish(messages)
        wakeSignals.wake()
        if former != nil { hub.wake(id) }
        return registration
    }

    /// - Throws: ``TooManyDevices`` when the customer may have no other device.
    private func checkCount(
        of customer: CustomerID, in store: StoreID?, on transaction: PostgresTransaction
    ) async throws {
        let count = try await ActivityRepository.countDevices(of: customer, in: store, on: transaction)
        guard count < devicesPerCustomerMax else {
            throw TooManyDevices(devicesMax: devicesPerCustomerMax, devicesDays: devicesDays)
        }
    }

    /// - Throws: ``Invalid``.
    private func device(
        _ id: DeviceID, _ body: RegisterDeviceBody, _ customer: CustomerID, _ now: Date
    ) throws -> Device {
        guard let transport = Device.Transport(rawValue: body.transport ?? "stream") else {
            throw Invalid(path: "transport", message: "is not stream or apns")
        }
        let texts = [
            ("locale", body.locale), ("timeZone", body.timeZone), ("appVersion", body.appVersion),
        ]
        for case (let path, let text?) in texts where !text.isPlainText(charactersMax: Self.textCharactersMax) {
            throw Invalid(path: path, message: "is not 1 to \(Self.textCharactersMax) characters, none a control one")
        }
        if let zone = body.timeZone, TimeZone(identifier: zone) == nil {
            throw Invalid(path: "timeZone", message: "is not an IANA name such as Europe/Copenhagen")
        }
        let osVersion = try body.osVersion.map {
            guard let version = OSVersion($0) else {
                throw Invalid(path: "osVersion", message: "is not a version such as 17.2")
            }
            return version
        }
        let permission = try body.activitiesPermission.map {
            guard let permission = ActivitiesPermission(rawValue: $0) else {
                throw Invalid(
                    path: "activitiesPermission", message: "is not allowed, not_asked, refused or switched_off")
            }
            return permission
        }
        let bundleID: BundleID?
        do {
            bundleID = try body.bundleID.map { text throws(BundleID.Invalid) in try BundleID(text) }
        } catch {
            throw Invalid(path: "bundleID", message: error.description)
        }
        let limits = fanOut.transports.of(transport)?.limits
        guard let limits else { throw Invalid(path: "transport", message: "\(transport.rawValue) is not set up here") }
        return Device(
            id: id, customer: customer, transport: transport, locale: body.locale ?? "en",
            timeZone: body.timeZone ?? "UTC",
            isEnabled: body.activitiesEnabled ?? permission?.isEnabled ?? true, reportedPermission: permission,
            allowsFrequentPushes: body.frequentPushesEnabled ?? true, appVersion: body.appVersion,
            pushToStartToken: nil, registeredAt: now, starts: TokenBucket(limits.starts, at: now),
            osVersion: osVersion, bundleID: bundleID)
    }

    private func tokenChange(_ change: PushTokenChange?, _ now: Date) throws -> Device.StartTokenChange? {
        switch change {
        case .set(let body): .set(try pushToken(body, "pushToStartToken", at: now, wall: wall()))
        case .forget: .forget
        case nil: nil
        }
    }
}

/// - Throws: `RegisterDevice.Invalid` with the path, where it is no token.
func pushToken(_ body: PushTokenBody, _ path: String, at now: Date, wall: Date) throws -> PushToken {
    guard let token = PushToken(body, at: now, wall: wall) else {
        throw RegisterDevice.Invalid(path: path, message: "is not a token in hex, two digits a byte")
    }
    return token
}
