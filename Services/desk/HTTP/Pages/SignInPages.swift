import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OpenIDConnect
import PostgresClient
import ServiceRuntime
import WebPages

/// The begin and end of a session: by a one-time link, or by an identity provider.
extension DeskHTTP {
    @Sendable func showSignIn(_ request: Request, _ context: AppContext) async throws -> Response {
        entrance(next: Self.ownPath(request.query("next")))
    }

    /// - Parameter key: the one-time link's, whose page asks for a press: a program that opens links beforehand would
    ///   redeem it.
    func entrance(
        next: String = "/", key: String? = nil, fault: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        var values: [String: Any] = ["next": next]
        values["key"] = key
        values["fault"] = fault
        values["provider"] = identityProvider.map { ["name": $0.name] }
        return .page(
            DeskPage.templates.page(
                "entrance", values, language: "en", title: "Sign in · Doorstep desk", styles: [.deskStyle]),
            status: status)
    }

    /// The page of a sign-in that the desk cannot answer without its database; the same can be tried again.
    private func entranceWithoutDatabase(next: String = "/", key: String? = nil) -> Response {
        entrance(
            next: next, key: key, fault: "The desk's database does not answer. Try again in a moment.",
            status: .serviceUnavailable)
    }

    @Sendable func showLink(_ request: Request, _ context: AppContext) async throws -> Response {
        entrance(key: try context.path("key"))
    }

    @Sendable func redeemLink(_ request: Request, _ context: AppContext) async throws -> Response {
        guard !request.isFromElsewhere(than: origin) else {
            return entrance(fault: "That was sent from another site.", status: .forbidden)
        }
        let key = try context.path("key")
        do {
            guard let link = Secret(key), let session = try await signIn.redeem(link) else {
                return entrance(
                    fault: "This link was used before, or its minute is over. Make another: doorstep desk open",
                    status: .gone)
            }
            return begin(session, leadingTo: "/")
        } catch let error as PostgresError where error.isOutage {
            return entranceWithoutDatabase(key: key)
        }
    }

    @Sendable func signOut(_ request: Request, _ context: AppContext) async throws -> Response {
        try await posting(request, as: .viewer) { reader, _, _ in
            try await signIn.end(reader.secret)
            board.streams.end(session: reader.secret.hash)
            var response = Response.seeOther("/sign-in")
            response.headers[.setCookie] = setting(cookieName, "", maxAge: 0)
            return response
        }
    }
}

/// Sign-in by an identity provider.
extension DeskHTTP {
    private var attemptCookie: String { isSecure ? "__Host-desk-sign-in" : "desk-sign-in" }

    @Sendable func beginSignIn(_ request: Request, _ context: AppContext) async throws -> Response {
        guard let identityProvider, !request.isFromElsewhere(than: origin) else {
            return entrance(fault: "That was sent from another site.", status: .forbidden)
        }
        let next = Self.ownPath(try await request.formValues().text("next"))
        do {
            let (url, browser) = try await identityProvider.begin(
                returningTo: next, at: signIn.wallNow(), on: signIn.pool)
            // The form's content security policy allows the desk's own origin alone, so the browser loads a page that
            // redirects.
            var response = Response.page(
                DeskPage.templates.page(
                    "entrance", ["leads": url], language: "en", title: "Sign in · Doorstep desk",
                    styles: [.deskStyle]))
            response.headers[.setCookie] = setting(
                attemptCookie, browser.text, maxAge: Int(IdentityProvider.attemptLifetime))
            if let name = HTTPField.Name("Refresh") { response.headers[name] = "0; url=\(url)" }
            return response
        } catch let error as OpenIDError {
            logger.warning("Sign-ins by the identity provider are unavailable", metadata: ["reason": "\(error)"])
            return entrance(next: next, fault: "\(error).", status: .badGateway)
        } catch let error as PostgresError where error.isOutage {
            return entranceWithoutDatabase(next: next)
        }
    }

    @Sendable func finishSignIn(_ request: Request, _ context: AppContext) async throws -> Response {
        guard let identityProvider else { throw Problem.notFound() }
        func text(_ name: String) -> String? { request.query(name) }
        if let error = text("error") {
            let code = String(error.prefix(60).filter { $0.isLetter || $0 == "_" })
            return entrance(fault: "The identity provider refused the sign-in: \(code).", status: .forbidden)
        }
        guard let state = text("state"), let code = text("code"),
            let browser = request.cookie(attemptCookie).flatMap({ Secret($0) })
        else {
            return entrance(fault: Self.unknownAttempt, status: .badRequest)
        }
        do {
            let (person, path) = try await identityProvider.finish(
                state: state, code: code, issuer: text("iss"), browser: browser, at: signIn.wallNow(), on: signIn.pool)
            return begin(try await signIn.begin(for: person), leadingTo: path)
        } catch let refusal as IdentityProvider.Refusal {
            switch refusal {
            case .unknownAttempt: return entrance(fault: Self.unknownAttempt, status: .badRequest)
            case .noRole(let name):
                return entrance(
                    fault: "\(name) is in none of the groups that may use the desk.", status: .forbidden)
            }
        } catch let error as OpenIDError {
            logger.warning("A sign-in was refused", metadata: ["reason": "\(error)"])
            return entrance(fault: "\(error).", status: .forbidden)
        } catch let error as PostgresError where error.isOutage {
            return entranceWithoutDatabase()
        }
    }

    private static let unknownAttempt =
        "That belongs to no sign-in of this browser: it was used before, took too long, or is another's. Sign in again."
}
