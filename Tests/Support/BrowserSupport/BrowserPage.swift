import NIOHTTP1
import Synchronization

/// One page with a browser profile of its own.
///
/// Commands must be sequential; those of several pages may overlap.
package final class BrowserPage: Sendable {
    private let connection: WebDriverConnection
    private let path: String
    /// The size that a test asked for; nil before it did.
    let askedSize = Mutex<ViewportSize?>(nil)

    init(connection: WebDriverConnection, session: String) {
        self.connection = connection
        path = "/session/\(session)"
    }

    // MARK: Commands

    func send<Value: Decodable>(
        _ method: HTTPMethod, _ command: String, _ parameters: some Encodable = NoParameters(),
        as: Value.Type = Value.self
    ) async throws -> Value {
        try await connection.send(method, path + command, parameters)
    }

    func send(_ method: HTTPMethod, _ command: String, _ parameters: some Encodable = NoParameters()) async throws {
        try await connection.send(method, path + command, parameters)
    }

    // MARK: Navigation

    private struct Address: Encodable {
        let url: String
    }

    /// Opens an address, and returns when the page has loaded with all that it refers to.
    package func open(_ url: String) async throws { try await send(.POST, "/url", Address(url: url)) }

    /// Loads the page again, and returns when it has loaded.
    package func reload() async throws { try await send(.POST, "/refresh") }

    /// Goes back in the page's history, and returns when that page has loaded.
    package func back() async throws { try await send(.POST, "/back") }

    package var url: String { get async throws { try await send(.GET, "/url") } }

    package var title: String { get async throws { try await send(.GET, "/title") } }

    /// The document as it is now, which may be other than it was sent.
    package var source: String { get async throws { try await send(.GET, "/source") } }

    /// The page's visible text.
    package var text: String {
        get async throws { try await execute("return document.body.innerText", as: String.self) }
    }

    /// Ends this browser as its user would, so that its connections close.
    package func close() async throws { try await send(.DELETE, "") }

    // MARK: Elements

    /// The first element that a CSS selector matches.
    ///
    /// - Throws: ``WebDriverError`` with the code `no such element` where there is none now.
    package func element(_ selector: String) async throws -> PageElement {
        PageElement(page: self, reference: try await send(.POST, "/element", ElementQuery(value: selector)))
    }

    /// Every element that a CSS selector matches now, in the order of the document.
    package func elements(_ selector: String) async throws -> [PageElement] {
        let references = try await send(
            .POST, "/elements", ElementQuery(value: selector), as: [ElementReference].self)
        return references.map { PageElement(page: self, reference: $0) }
    }

    /// The focused element: the body without a focus.
    package var activeElement: PageElement {
        get async throws { PageElement(page: self, reference: try await send(.GET, "/element/active")) }
    }
}
