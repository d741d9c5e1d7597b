/// The driver's refusal of a command.
package struct WebDriverError: Error, Decodable, Sendable, CustomStringConvertible {
    /// An error code of the standard, such as `no such element`.
    ///
    /// - Source: https://www.w3.org/TR/webdriver2/#errors
    package let code: String
    package let message: String

    private enum CodingKeys: String, CodingKey {
        case code = "error"
        case message
    }

    package var description: String { "\(code): \(message)" }

    /// Whether the same command may succeed later, since the page was being changed: what it is about is not there yet,
    /// was replaced, or belonged to the page before this one.
    package var isTransient: Bool {
        switch code {
        case "no such element", "stale element reference", "detached shadow root": true
        default: Self.transientMessages.contains { message.contains($0) }
        }
    }

    /// Messages of Chromium's driver with the code `unknown error` where the page was replaced during one command.
    private static let transientMessages = [
        "aborted by navigation", "does not belong to the document", "No node with given id", "Cannot find context",
    ]
}
