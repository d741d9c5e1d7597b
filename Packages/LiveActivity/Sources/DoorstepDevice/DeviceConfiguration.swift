public import Foundation
public import LiveActivity

/// Doorstep's address, and the app's data about itself.
public struct DeviceConfiguration: Sendable {
    /// Of `activity-dispatch`, such as `https://cards.nordhavn.example`.
    public var serverURL: URL
    /// Origins of links that may be pressed, such as `https://go.nordhavn.example`: the customer's token goes to no other.
    public var linkOrigins: [URL]
    /// The environment of Apple's push service for the app's tokens: the value of its entitlement `aps-environment`.
    public var pushEnvironment: PushTokenBody.Environment
    /// Of the app, without a suffix.
    public var bundleID: String?
    public var appVersion: String?
    /// Such as `17.2`.
    public var osVersion: String
    /// The language that the app is shown in, such as `da`.
    public var locale: String
    /// IANA name.
    public var timeZone: String
    /// The interval of cards' updates while the app is in the foreground; nil for once as it enters it.
    public var refreshInterval: Duration?

    public init(
        serverURL: URL, linkOrigins: [URL], pushEnvironment: PushTokenBody.Environment,
        bundleID: String? = Bundle.main.bundleIdentifier,
        appVersion: String? = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
        osVersion: String = Self.systemVersion,
        locale: String = Bundle.main.preferredLocalizations.first ?? "en",
        timeZone: String = TimeZone.current.identifier, refreshInterval: Duration? = .seconds(30)
    ) {
        self.serverURL = serverURL
        self.linkOrigins = linkOrigins
        self.pushEnvironment = pushEnvironment
        self.bundleID = bundleID
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.locale = locale
        self.timeZone = timeZone
        self.refreshInterval = refreshInterval
    }

    /// The system's version as `17.2`.
    public static var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion)"
    }
}
