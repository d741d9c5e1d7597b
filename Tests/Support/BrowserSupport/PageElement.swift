import NIOHTTP1

/// An element of a page, as long as the page has this very one.
///
/// Where the page puts another in its place, every use throws a ``WebDriverError`` with the code
/// `stale element reference`: find it again on each read, as ``BrowserPage/waitUntil(_:within:_:)`` does.
package struct PageElement: Sendable, Encodable {
    private let page: BrowserPage
    private let reference: ElementReference

    init(page: BrowserPage, reference: ElementReference) {
        self.page = page
        self.reference = reference
    }

    /// Encodes the element as a script's argument, where it becomes the DOM element.
    package func encode(to encoder: any Encoder) throws { try reference.encode(to: encoder) }

    private var path: String { "/element/\(reference.id)" }

    // MARK: Identity

    /// The element's visible text, without `noscript`.
    package var text: String { get async throws { try await page.send(.GET, "\(path)/text") } }

    /// The value of an attribute; nil where it has none of that name, and `true` for a Boolean one that is there.
    package func attribute(_ name: String) async throws -> String? {
        try await page.send(.GET, "\(path)/attribute/\(name)")
    }

    /// A property of the DOM's element, such as `value` of a field.
    package func property<Value: Decodable>(_ name: String, as: Value.Type = Value.self) async throws -> Value {
        try await page.send(.GET, "\(path)/property/\(name)")
    }

    /// The element's role for assistive technology, such as `button`.
    package var role: String { get async throws { try await page.send(.GET, "\(path)/computedrole") } }

    /// The accessible name, which assistive technology reads out.
    package var label: String { get async throws { try await page.send(.GET, "\(path)/computedlabel") } }

    package var isDisplayed: Bool { get async throws { try await page.send(.GET, "\(path)/displayed") } }

    package var isEnabled: Bool { get async throws { try await page.send(.GET, "\(path)/enabled") } }

    /// The element's frame, in CSS pixels of the page.
    package var frame: Frame { get async throws { try await page.send(.GET, "\(path)/rect") } }

    package struct Frame: Decodable, Equatable, Sendable {
        package let x, y, width, height: Double
    }

    // MARK: User's actions

    /// Scrolls it into view and clicks in its middle; waits for a page that the click opens.
    ///
    /// - Throws: ``WebDriverError`` with the code `element click intercepted` where something covers it.
    package func click() async throws { try await page.send(.POST, "\(path)/click") }

    private struct Text: Encodable {
        let text: String
    }

    /// Focuses the element and types at the end of its content.
    package func type(_ text: String) async throws { try await page.send(.POST, "\(path)/value", Text(text: text)) }

    /// Empties a field.
    package func clear() async throws { try await page.send(.POST, "\(path)/clear") }

    // MARK: Content

    /// The first element inside this one that a CSS selector matches.
    ///
    /// - Throws: ``WebDriverError`` with the code `no such element` where there is none now.
    package func element(_ selector: String) async throws -> PageElement {
        let query = ElementQuery(value: selector)
        return PageElement(page: page, reference: try await page.send(.POST, "\(path)/element", query))
    }

    /// Every element inside this one that a CSS selector matches now, in the order of the document.
    package func elements(_ selector: String) async throws -> [PageElement] {
        let query = ElementQuery(value: selector)
        let references = try await page.send(.POST, "\(path)/elements", query, as: [ElementReference].self)
        return references.map { PageElement(page: page, reference: $0) }
    }
}

/// The driver's reference of an element.
struct ElementReference: Codable, Sendable {
    let id: String

    /// - Source: https://www.w3.org/TR/webdriver2/#elements, "web element identifier".
    private enum CodingKeys: String, CodingKey {
        case id = "element-6066-11e4-a52e-4f735466cecf"
    }
}

/// A search by a CSS selector.
struct ElementQuery: Encodable {
    let using = "css selector"
    let value: String
}
