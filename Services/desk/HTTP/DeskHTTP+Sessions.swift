import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import PostgresClient
import ServiceRuntime
import WebPages

/// Authentication and authorization of the desk's requests.
extension DeskHTTP {
    /// Answers a signed-in caller; redirects others to the sign-in.
    ///
    /// - Parameter needed: the required scope; the refusal names it.
    func signedIn(
        _ request: Request, as needed: OperatorScope = .viewer, _ answer: (SignedIn) async throws -> Response
    ) async throws -> Response {
        let reader: SignedIn
        do {
            guard let secret = request.cookie(cookieName).flatMap({ Secret($0) }),
                let user = try await request.isUse ? signIn.user(of: secret) : signIn.userWithoutUse(of: secret)
            else { return notSignedIn(request) }
            reader = SignedIn(user: user, secret: secret)
        } catch let error as PostgresError where error.isOutage {
            return unavailable(
                request, "The desk cannot be shown just now",
                "Its database does not answer, so it cannot be seen who you are.")
        }
        guard reader.user.may(needed) else {
            return message(
                .forbidden, "Your role may not do this",
                "It takes a \(needed.rawValue); you are signed in as \(reader.user.name), a \(reader.user.role.rawValue). "
                    + "Nothing was changed.", reader: reader)
        }
        await board.attend()
        let answered = AnsweredPersons()
        do {
            let response = try await AnsweredPersons.$current.withValue(answered) { try await answer(reader) }
            do {
                try await record(answered, of: request, by: reader)
            } catch let error as PostgresError {
                logger.warning("A read of a page is not recorded", metadata: ["reason": "\(error)"])
                return unavailable(
                    request, "This page cannot be shown just now",
                    "It has personal data, and the desk cannot record its reader.", reader: reader)
            }
            return response
        } catch let refusal as ServiceRefusal {
            return message(
                HTTPResponse.Status(code: refusal.status), "It was refused",
                "\(refusal.service.rawValue): \(refusal.description) Nothing was changed.", reader: reader)
        } catch let outage as ServiceUnavailable {
            return message(
                .serviceUnavailable, "\(outage.service.rawValue) does not answer",
                "\(sentence(of: outage))\(Self.consequence(of: outage, request))", reader: reader)
        }
    }

    /// The sentence about what was asked for, behind that of an outage; empty for a page that only reads.
    private static func consequence(of outage: ServiceUnavailable, _ request: Request) -> String {
        guard request.method != .get, request.method != .head else { return "" }
        return outage.mayBeDone ? " It may have been done: check before you try again." : " Nothing was changed."
    }

    /// Answers a form of a signed-in caller; a form from another site or another session is refused.
    func posting(
        _ request: Request, as needed: OperatorScope = .dispatcher,
        _ answer: (SignedIn, [String: String], [String]) async throws -> Response
    ) async throws -> Response {
        try await signedIn(request, as: needed) { reader in
            guard !request.isFromElsewhere(than: origin) else { return foreignForm(reader) }
            let form = try await request.formValues(bytesMax: Self.formBytesMax)
            guard reader.secret.isFormToken(form.text("form") ?? "") else { return foreignForm(reader) }
            return try await answer(reader, form.fields, form.all("delivery"))
        }
    }

    /// A hundred deliveries, each with a reason of a hold: of 200 letters of four bytes, each encoded in three.
    private static let formBytesMax = bodyBytesMaxStandard

    /// The page of a request that the desk cannot answer without its database.
    ///
    /// A page that was opened reloads itself. A form does not, as its address may be of no page. Of the forms only
    /// the choice for several deliveries has persons to record, and it changes nothing.
    private func unavailable(
        _ request: Request, _ title: String, _ cause: String, reader: SignedIn? = nil
    ) -> Response {
        let isForm = request.method != .get && request.method != .head
        let remedy =
            isForm
            ? "Nothing was changed. Go back, and send the form again." : "This page tries again by itself."
        return message(
            .serviceUnavailable, title, "\(cause) \(remedy)", reader: reader, refreshSeconds: isForm ? nil : 5)
    }

    private func foreignForm(_ reader: SignedIn) -> Response {
        message(
            .forbidden, "The form is not one of this session's",
            "It was sent from another site, or before you signed in. Nothing was changed. Open the page again.",
            reader: reader)
    }

    private func notSignedIn(_ request: Request) -> Response {
        if request.headers[.accept]?.contains("text/event-stream") == true {
            // Without this event a browser would reconnect endlessly.
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "event: over\ndata: \n\n")))
        }
        guard request.method == .get || request.method == .head else {
            return message(
                .unauthorized, "Your session has ended", "Nothing was changed. Sign in, and do it again.",
                link: ("/sign-in", "Sign in"))
        }
        let path = request.uri.path + (request.uri.query.map { "?\($0)" } ?? "")
        let encoded = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let entrance = "/sign-in?next=\(encoded)"
        guard request.isByHTMX else { return .seeOther(entrance) }
        // The browser would follow a redirect by itself, and htmx would replace the part of the page by nothing.
        var response = message(
            .unauthorized, "Your session has ended", "Sign in to see this page.", link: (entrance, "Sign in"))
        response.headers[.htmxRedirect] = entrance
        return response
    }

    // MARK: Cookie

    var isSecure: Bool { origin.hasPrefix("https:") }

    /// Bound to our origin where that is encrypted.
    var cookieName: String { isSecure ? "__Host-desk" : "desk" }

    /// Lax and not Strict: a browser that comes back from an identity provider would have no session.
    func setting(_ cookie: String, _ value: String, maxAge: Int? = nil) -> String {
        "\(cookie)=\(value); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
            + (maxAge.map { "; Max-Age=\($0)" } ?? "")
    }

    /// Redirects a browser with a new session to a page of the desk.
    func begin(_ session: Secret, leadingTo path: String) -> Response {
        var response = Response.seeOther(Self.ownPath(path))
        response.headers[.setCookie] = setting(cookieName, session.text)
        return response
    }

    /// A path of the desk; a foreign path becomes the first page.
    static func ownPath(_ path: String?) -> String {
        guard let path, path.hasPrefix("/"), !path.hasPrefix("//"), !path.contains("\\"), path.count <= 500,
            path.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0 != "\"" && $0 != "<" && $0 != ">" })
        else { return "/" }
        return path
    }
}

extension Request {
    /// Whether a person opens a page or sends a form by it, which prolongs the session.
    ///
    /// An open page asks by itself too: by htmx, which replaces a part; by scripts, event streams and images, which do
    /// not accept HTML; and where scripts are off by reloading its address with a mark. A desk's page has no link or
    /// button that a person presses and that htmx answers by a GET.
    fileprivate var isUse: Bool {
        guard method == .get || method == .head else { return true }
        return !isByHTMX && headers[.accept]?.contains("text/html") == true && query(DeskPage.reloadParameter) == nil
    }
}

extension HTTPField.Name {
    fileprivate static let htmxRedirect = HTTPField.Name("HX-Redirect")!
}
