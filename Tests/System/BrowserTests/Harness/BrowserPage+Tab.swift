import BrowserSupport
import Testing

extension BrowserPage {
    /// Moves the focus with the tab key to the element with this id.
    func tab(to id: String) async throws {
        for _ in 0..<40 {
            if try await activeElement.attribute("id") == id { return }
            try await press(.tab)
        }
        Issue.record("the tab key does not reach #\(id)")
    }
}
