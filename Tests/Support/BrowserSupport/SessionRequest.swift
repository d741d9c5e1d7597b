/// The capabilities requested of a new session.
///
/// - Source: https://www.w3.org/TR/webdriver2/#capabilities, and for `goog:`
///   https://developer.chrome.com/docs/chromedriver/capabilities
struct SessionRequest: Encodable {
    private let capabilities: Capabilities

    init(binary: String, profile: String) {
        let options = ChromeOptions(binary: binary, args: Self.arguments + ["--user-data-dir=\(profile)"])
        capabilities = Capabilities(alwaysMatch: Capabilities.Match(chromeOptions: options))
    }

    private static let arguments = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        // Without it the driver reaches Chromium over a port.
        "--remote-debugging-pipe",
        // Scroll bars would use 15 pixels of the requested width; those of phones lie above the page.
        "--hide-scrollbars", "--window-size=1280,800", "--lang=en-US", "--accept-lang=en-GB,en",
        // Nothing that Chromium does unasked, and no name beyond this machine.
        "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
        "--disable-component-update", "--disable-default-apps", "--disable-domain-reliability",
        "--disable-extensions", "--disable-sync", "--disable-breakpad", "--disable-crash-reporter",
        "--disable-features=MediaRouter,OptimizationHints,Translate", "--no-proxy-server", "--password-store=basic",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
    ]

    private struct Capabilities: Encodable {
        struct Match: Encodable {
            let browserName = "chrome"
            let timeouts = Timeouts()
            let loggingPrefs = ["browser": "ALL"]
            let chromeOptions: ChromeOptions

            private enum CodingKeys: String, CodingKey {
                case browserName, timeouts
                case loggingPrefs = "goog:loggingPrefs"
                case chromeOptions = "goog:chromeOptions"
            }
        }

        let alwaysMatch: Match
    }

    private struct ChromeOptions: Encodable {
        let binary: String
        let args: [String]
    }

    /// Time-outs in milliseconds; an element is found at once or not at all, so that a test requests each wait.
    private struct Timeouts: Encodable {
        let script = 60_000
        let pageLoad = 60_000
        let implicit = 0
    }
}

/// The session that was made.
struct SessionAnswer: Decodable {
    let sessionId: String
}
