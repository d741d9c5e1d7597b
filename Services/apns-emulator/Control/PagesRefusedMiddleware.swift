import HTTPTypes
import Hummingbird

/// Refuses what a web page sends: requests with an `Origin`, and those for a name that is not the emulator's.
///
/// The control side has no authentication and listens on loopback, where every browser of the machine reaches it: a form
/// by the address, a script by a name of its own that is rebound to it.
struct PagesRefusedMiddleware: RouterMiddleware {
    /// Names beside loopback's, in lower case.
    let names: Set<String>

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers[.origin] == nil else {
            throw ControlProblem(.forbidden, "Origin: a web page may ask nothing here")
        }
        guard isOwn(request.head.authority ?? "") else {
            throw ControlProblem(
                .forbidden,
                "Host: is neither loopback's nor a name that apns-emulator was started with, by --control-name")
        }
        return try await next(request, context)
    }

    /// Whether a `Host` header names this machine's loopback, or the emulator, at whichever port.
    func isOwn(_ authority: String) -> Bool {
        let lower = authority.lowercased()
        let host: Substring =
            if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") {
                lower[...end]
            } else {
                lower.prefix { $0 != ":" }
            }
        let port = lower.dropFirst(host.count)
        guard port.isEmpty || port.wholeMatch(of: /:[0-9]{1,5}/) != nil else { return false }
        return host == "localhost" || host == "[::1]" || names.contains(String(host))
            || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
    }
}
