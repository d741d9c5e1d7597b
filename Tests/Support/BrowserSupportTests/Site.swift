import BrowserSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization

/// Pages of a test, served on this machine under a policy that allows no script, style or connection but their own.
final class Site: Sendable {
    private let languages = Mutex<[String]>([])

    /// `Accept-Language` of each page that was asked for.
    var acceptedLanguages: [String] { languages.withLock { $0 } }

    /// Runs the body with a page of a browser, in which nothing is open yet, and the origin of the site.
    static func visit(
        _ body: @escaping @Sendable (_ page: BrowserPage, _ origin: String, _ site: Site) async throws -> Void
    ) async throws {
        let site = Site()
        let logger = Logger(label: "site") { _ in SwiftLogNoOpLogHandler() }
        try await Application(router: site.router, logger: logger).test(.live) { client in
            let origin = "http://127.0.0.1:\(client.port ?? 0)"
            try await Browser.run { browser in try await body(try await browser.newPage(), origin, site) }
        }
    }

    private var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("form") { request, _ in
            self.languages.withLock { $0.append(request.headers[.acceptLanguage] ?? "") }
            let name = request.uri.queryParameters["name"].map { "<p id=greeting>Hello, \($0)</p>" } ?? ""
            return Self.html(Self.form.replacing("<!--greeting-->", with: name))
        }
        router.get("picture") { _, _ in Self.html(Self.picture) }
        router.get("app.js") { _, _ in Self.response(Self.script, "text/javascript") }
        router.get("fragment") { _, _ in Self.response("<li>first</li><li>second</li>", "text/html") }
        router.get("cookie") { _, _ in
            var response = Self.html(Self.picture)
            response.headers[.setCookie] = "seen=yes; Path=/; HttpOnly; SameSite=Lax"
            return response
        }
        router.get("favicon.ico") { _, _ in HTTPResponse.Status.noContent }
        return router
    }

    private static let policy = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'"

    private static func html(_ text: String) -> Response { response(text, "text/html; charset=utf-8") }

    private static func response(_ text: String, _ type: String) -> Response {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
        headers[.contentSecurityPolicy] = policy
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    private static let form = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>A form</title>
        <script src="/app.js" defer></script>
        </head>
        <body>
        <main>
        <h1>Who is there?</h1>
        <!--greeting-->
        <noscript><p>Without scripts</p></noscript>
        <form action="/form">
        <label>Name <input name="name"></label>
        <button>Greet</button>
        </form>
        <button id="load" aria-describedby="hint">Load</button>
        <p id="hint">Loads the list</p>
        <ul id="list"><li>nothing</li></ul>
        </main>
        </body>
        </html>
        """

    private static let picture = """
        <!doctype html>
        <html lang="en">
        <head><title>A picture</title></head>
        <body><main><h1>A picture</h1><img id="door" src="/favicon.ico"></main></body>
        </html>
        """

    private static let script = """
        document.getElementById('load').addEventListener('click', async () => {
            const answer = await fetch('/fragment');
            document.getElementById('list').innerHTML = await answer.text();
        });
        """
}
