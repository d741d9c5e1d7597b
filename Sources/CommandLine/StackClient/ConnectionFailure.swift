internal import APIClient
internal import AsyncHTTPClient
package import CommandOutput
internal import Foundation
internal import NIOCore
internal import NIOPosix

extension CommandFailure {
    /// A failure to reach a service, with its address and the remedy.
    ///
    /// - Parameters:
    ///   - error: the HTTP client's error.
    ///   - url: the request's URL; the failure names only scheme, host and port, since a link's path is a secret.
    static func noAnswer(from url: String, _ error: any Error) -> CommandFailure {
        let origin = APIClient.origin(of: url)
        return CommandFailure(
            .unavailable, "\(origin) \(reason(of: error)). \(whatToDo)",
            mayBeDone: !APIClient.isWithoutConnection(error))
    }

    private static let whatToDo = "Is the address right, and the service running? doorstep admin doctor looks."

    /// Why an HTTP client has got no answer, as a clause without its subject: `refuses connections: nothing listens there`.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout: "cannot be reached: no connection in time"
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            "did not answer in time"
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            "closed the connection before it answered"
        case let error as NIOConnectionError: reason(of: error)
        case let error as IOError: reason(ofErrno: error.errnoCode)
        default: "cannot be asked: \(error)"
        }
    }

    /// The first of the attempts at a host's addresses is representative.
    private static func reason(of error: NIOConnectionError) -> String {
        if error.dnsAError != nil, error.connectionErrors.isEmpty {
            return "has no address: \(error.host) is not known"
        }
        guard let first = error.connectionErrors.first?.error as? IOError else { return "cannot be reached" }
        return reason(ofErrno: first.errnoCode)
    }

    private static func reason(ofErrno code: CInt) -> String {
        switch code {
        case ECONNREFUSED: "refuses connections: nothing listens there"
        case ECONNRESET: "reset the connection"
        case ENETUNREACH, EHOSTUNREACH: "cannot be reached: there is no route to it"
        default: "cannot be reached: \(String(cString: strerror(code)))"
        }
    }
}
