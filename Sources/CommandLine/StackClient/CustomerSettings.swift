package import ArgumentParser
internal import CommandOutput
internal import Foundation

/// The options by which a customer's command finds its token.
///
/// A token is read from a file at each request, so that a renewed one is used, and never from a flag, where other users
/// of the machine could read it.
package struct CustomerOptions: ParsableArguments {
    @Option(help: "A file with your token. Without it: the file that DOORSTEP_CUSTOMER_TOKEN_FILE names.")
    package var tokenFile: String?

    package init() {}

    /// - Throws: `CommandFailure` of kind not allowed where no file is named.
    package func settings() throws -> CustomerSettings {
        let environment = ProcessInfo.processInfo.environment
        guard let path = tokenFile ?? environment["DOORSTEP_CUSTOMER_TOKEN_FILE"], !path.isEmpty else {
            throw CommandFailure(
                .notAllowed, "No token: name a file with --token-file or DOORSTEP_CUSTOMER_TOKEN_FILE.")
        }
        return CustomerSettings(tokenPath: path, environment: environment)
    }
}

/// The token and the addresses that a customer's command uses.
package struct CustomerSettings: Sendable {
    package let tokenPath: String
    package let environment: [String: String]

    package init(tokenPath: String, environment: [String: String]) {
        self.tokenPath = tokenPath
        self.environment = environment
    }

    /// The token that the file holds now.
    ///
    /// - Throws: `CommandFailure` of kind not allowed where the file is unreadable, empty or holds more.
    package func token() throws -> String {
        try TokenHolder.token(
            ofFile: tokenPath, named: "customer's", by: "--token-file or \(TokenHolder.customer.variable)")
    }

    /// The base URL of a service, without a slash at its end.
    ///
    /// - Parameter name: such as `DOORSTEP_ORDERS_URL`.
    /// - Throws: `CommandFailure` of kind usage where the variable is unset or not an http or https URL.
    package func url(_ name: String) throws -> String {
        guard let text = environment[name], !text.isEmpty else {
            throw CommandFailure(
                .usage, "\(name) is not set: it says where the service is, such as http://127.0.0.1:8081.")
        }
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
            throw CommandFailure(.usage, "\(name) is not an http or https URL: \(text)")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
