import ArgumentParser
import Foundation

/// Who a customer's command speaks as, and where to.
///
/// A token is read from a file each time, so that one that was renewed is used, and never from a flag, where other
/// users of the machine could read it.
struct CustomerOptions: ParsableArguments {
    @Option(help: "A file with your token. Without it: the file that DOORSTEP_CUSTOMER_TOKEN_FILE names.")
    var tokenFile: String?

    func settings(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> CustomerSettings {
        guard let path = tokenFile ?? environment["DOORSTEP_CUSTOMER_TOKEN_FILE"], !path.isEmpty else {
            throw CommandFailure(
                .notAllowed, "No token: name a file with --token-file or DOORSTEP_CUSTOMER_TOKEN_FILE.")
        }
        return CustomerSettings(tokenPath: path, environment: environment)
    }
}

/// What a customer's command reads from its surroundings.
struct CustomerSettings: Sendable {
    let tokenPath: String
    let environment: [String: String]

    /// The token as it is now.
    func token() throws -> String {
        guard let text = try? String(contentsOfFile: tokenPath, encoding: .utf8) else {
            throw CommandFailure(.notAllowed, "The token file \(tokenPath) cannot be read.")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw CommandFailure(.notAllowed, "The token file \(tokenPath) is empty.") }
        return token
    }

    /// The base URL of a service, without a slash at its end.
    ///
    /// - Parameter name: such as `DOORSTEP_ORDERS_URL`.
    func url(_ name: String) throws -> String {
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
