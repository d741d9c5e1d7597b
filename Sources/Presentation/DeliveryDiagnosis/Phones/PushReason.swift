/// Why a push was refused, for readers who do not know Apple's push service.
///
/// The reasons are Apple's, or the service's where it sent nothing, and open: an unknown reason is shown unchanged.
package struct PushReason: Sendable {
    package let code: String
    private let kind: Kind

    private enum Kind: Sendable {
        case key, environmentOfKey, app, clock, tokenRenewals, ourFault, deviceGone, wrongToken, foreignToken, busyPhone
        case unsigned, notApple, appleIsAway, notSetUp, stopped, databaseAway, noTime, noConnection
        case unknown
    }

    /// - Parameter result: the code of the push's result, which decides where the text is not Apple's reason.
    package init(_ code: String, of result: String?) {
        self.code = code
        let kind: Kind =
            switch code {
            case "InvalidProviderToken", "MissingProviderToken", "Forbidden", "BadCertificate",
                "BadCertificateEnvironment", "UnrelatedKeyIdInToken":
                .key
            case "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken": .environmentOfKey
            case "BadTopic", "MissingTopic", "TopicDisallowed": .app
            case "ExpiredProviderToken": .clock
            case "status-401", "status-403": .key
            case _ where code.hasPrefix("status-3"): .notApple
            case "TooManyProviderTokenUpdates": .tokenRenewals
            case "Unregistered", "ExpiredToken": .deviceGone
            case "BadDeviceToken": .wrongToken
            case "DeviceTokenNotForTopic": .foreignToken
            case "TooManyRequests": .busyPhone
            case "InternalServerError", "ServiceUnavailable", "Shutdown", "IdleTimeout": .appleIsAway
            case "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "InvalidPushType",
                "DuplicateHeaders", "MissingDeviceToken", "PayloadEmpty", "PayloadTooLarge", "BadPath",
                "MethodNotAllowed":
                .ourFault
            case "no transport is set up": .notSetUp
            case "the process stops": .stopped
            case "the database is away": .databaseAway
            case "its turn came too late", "no answer in time", "no answer came in time",
                "it was cancelled before it was sent", "it was cancelled after it was sent":
                .noTime
            default: .unknown
            }
        self.kind = kind == .unknown && code.contains(" ") ? Self.kind(ofText: result) : kind
    }

    private static func kind(ofText result: String?) -> Kind {
        switch result {
        case "halted": .unsigned
        case "refused": .ourFault
        default: .noConnection
        }
    }

    /// A sentence such as `Apple does not accept the key that Doorstep sends with (InvalidProviderToken)`.
    package var sentence: String {
        switch kind {
        case .key: "Apple does not accept the key that Doorstep sends with (\(code))"
        case .unsigned: "Doorstep cannot sign in at Apple with its key (\(code))"
        case .notApple: "what answers in place of Apple's push service is something else (\(code))"
        case .environmentOfKey: "the key that Doorstep sends with is of Apple's other environment (\(code))"
        case .app: "Apple does not let this key send to this app (\(code))"
        case .clock: "Apple finds what Doorstep signs too old, so this server's clock may be wrong (\(code))"
        case .tokenRenewals: "Doorstep has signed in at Apple too often within 20 minutes (\(code))"
        case .deviceGone: "Apple says that the card or the app is not on this phone any more (\(code))"
        case .wrongToken: "Apple does not know what the app registered this phone by (\(code))"
        case .foreignToken: "the app registered this phone under another app's name (\(code))"
        case .busyPhone: "Apple says that this phone is sent too much (\(code))"
        case .appleIsAway: "Apple's push service has trouble (\(code))"
        case .ourFault: "what Doorstep made of it is no push that Apple takes (\(code))"
        case .notSetUp: "this Doorstep has no key for Apple's push service"
        case .stopped: "it was not sent, since activity-dispatch was stopped"
        case .databaseAway: "it was not sent, since the database did not answer"
        case .noTime: "Apple gave no answer in time"
        case .noConnection: "there was no connection to Apple (\(code))"
        case .unknown: "Apple answers \(code)"
        }
    }

    /// Whether Apple has refused it, rather than Doorstep not sent it, or another than Apple.
    package var isApples: Bool { kind != .unsigned && kind != .notApple }

    /// The remedy for a person.
    package var advice: String {
        switch kind {
        case .key:
            "tell who runs Doorstep to compare apns.key.file, apns.key.id and apns.team.id of activity-dispatch with the "
                + "key in Apple's developer account, and whether it was revoked; no customer can do anything"
        case .unsigned:
            "tell who runs Doorstep: activity-dispatch has read the file of apns.key.file and cannot sign with it; no "
                + "customer can do anything"
        case .notApple:
            "tell who runs Doorstep to see what is between activity-dispatch and Apple, such as a proxy, and to compare "
                + "apns.production.url and apns.sandbox.url; no customer can do anything"
        case .environmentOfKey:
            "tell who runs Doorstep to give activity-dispatch a key that is good for the environment of this phone's app; "
                + "no customer can do anything"
        case .app:
            "tell who runs Doorstep to compare apns.bundle.id with the app's bundle id, and whether the key is of the "
                + "app's team; no customer can do anything"
        case .clock:
            "tell who runs Doorstep to set the clock of the machine that activity-dispatch runs on; no customer can do "
                + "anything"
        case .tokenRenewals: "nothing: it passes within 20 minutes; tell who runs Doorstep if it comes back"
        case .deviceGone: "tell the customer to install the app, or to open it once: it then registers again"
        case .wrongToken:
            "tell the customer to open the app once, which registers it anew; if that does not help, tell the app's "
                + "developer, since it says sandbox or production wrongly"
        case .foreignToken: "tell the app's developer: the bundle id that the app registers is not its own"
        case .busyPhone, .appleIsAway, .stopped, .databaseAway, .noTime: "nothing: it is tried again by itself"
        case .ourFault: "report it as a fault of Doorstep, with this text"
        case .notSetUp: "tell who runs Doorstep to set apns.key.file, apns.key.id and apns.team.id of activity-dispatch"
        case .noConnection:
            "nothing, it is tried again; if it lasts, tell who runs Doorstep: the machine must reach Apple on port 443"
        case .unknown: "tell who runs Doorstep, with this text: Apple's documentation explains the word"
        }
    }
}
