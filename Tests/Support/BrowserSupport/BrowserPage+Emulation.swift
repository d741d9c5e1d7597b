/// A preference of the user's system, for a page's media queries.
package struct MediaFeature: Encodable, Sendable {
    let name: String
    let value: String

    /// - Parameters:
    ///   - name: of the media feature in CSS, such as `prefers-contrast`.
    ///   - value: of that feature, such as `more`.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static let light = MediaFeature("prefers-color-scheme", "light")
    package static let dark = MediaFeature("prefers-color-scheme", "dark")
    package static let reducedMotion = MediaFeature("prefers-reduced-motion", "reduce")
}

extension BrowserPage {
    private struct Media: Encodable {
        let features: [MediaFeature]
    }

    /// Sets the system's preferences to exactly these; without arguments it restores the defaults.
    package func prefer(_ features: MediaFeature...) async throws {
        try await devTools("Emulation.setEmulatedMedia", Media(features: features))
    }

    private struct NetworkConditions: Encodable {
        let offline: Bool
        let latency = 0
        let downloadThroughput = -1
        let uploadThroughput = -1
    }

    /// Disables or restores the page's network.
    ///
    /// It applies to new requests of the page itself: an open stream stays open, which only its server can cut, and
    /// workers keep their network.
    package func setOffline(_ isOffline: Bool) async throws {
        try await devTools("Network.enable")
        try await devTools("Network.emulateNetworkConditions", NetworkConditions(offline: isOffline))
    }

    private struct ScriptExecution: Encodable {
        let value: Bool
    }

    /// Turns the scripts of pages off or on, from the next page that is opened.
    package func setScripts(enabled: Bool) async throws {
        try await devTools("Emulation.setScriptExecutionDisabled", ScriptExecution(value: !enabled))
    }

    private struct Position: Encodable {
        let latitude: Double
        let longitude: Double
        let accuracy: Double
    }

    private struct Permissions: Encodable {
        let permissions: [String]
    }

    /// Permits every page to read the position, and sets it.
    ///
    /// - Parameters:
    ///   - latitude: in degrees.
    ///   - longitude: in degrees.
    ///   - accuracy: in metres.
    package func setPosition(latitude: Double, longitude: Double, accuracy: Double = 10) async throws {
        try await devTools("Browser.grantPermissions", Permissions(permissions: ["geolocation"]))
        try await devTools(
            "Emulation.setGeolocationOverride",
            Position(latitude: latitude, longitude: longitude, accuracy: accuracy))
    }

    private struct Version: Decodable {
        let userAgent: String
    }

    private struct UserAgent: Encodable {
        let userAgent: String
        let acceptLanguage: String
    }

    /// Sets the user's languages, the best first, such as `da-DK` and `da`: in `Accept-Language` and in
    /// `navigator.languages`.
    package func setLanguages(_ languages: String...) async throws {
        let version = try await devTools("Browser.getVersion", NoParameters(), as: Version.self)
        try await devTools(
            "Emulation.setUserAgentOverride",
            UserAgent(userAgent: version.userAgent, acceptLanguage: languages.joined(separator: ",")))
    }
}
