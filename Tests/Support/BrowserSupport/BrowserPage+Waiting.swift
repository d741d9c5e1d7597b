/// A condition that a page did not fulfil in time.
package struct WaitTimedOut: Error, CustomStringConvertible {
    package let description: String
}

extension BrowserPage {
    /// Polls until a claim holds.
    ///
    /// What the page was changing meanwhile is asked for again: elements that are not there yet or were replaced are no
    /// failure before the limit. So find elements inside the condition, not before it.
    ///
    /// - Parameters:
    ///   - claim: the expected fact, for the message when it does not hold.
    ///   - limit: wall time, generous for a busy machine: it bounds a failure, not a success.
    /// - Throws: ``WaitTimedOut``, with the page's last state, or any other error of the condition.
    package func waitUntil(
        _ claim: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
    ) async throws {
        try await waitFor(claim, within: limit) { try await condition() ? () : nil }
    }

    /// Asks until there is a value, and returns it; as ``waitUntil(_:within:_:)``.
    ///
    /// - Parameter read: nil, or an element that is not there, where there is none yet.
    package func waitFor<Value>(
        _ claim: String, within limit: Duration = .seconds(60), _ read: () async throws -> Value?
    ) async throws -> Value {
        let deadline = ContinuousClock.now + limit
        while true {
            var reason = ""
            do {
                if let value = try await read() { return value }
            } catch let error as WebDriverError where error.isTransient {
                reason = " (\(error.description.prefix(200)))"
            }
            guard ContinuousClock.now < deadline else {
                throw WaitTimedOut(description: "not within \(limit): \(claim)\(reason)\n\(await summary)")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until the element of a CSS selector, which may be replaced meanwhile, has a text.
    package func expect(_ selector: String, contains text: String) async throws {
        try await waitUntil("\(selector) has the text \(text)") { try await element(selector).text.contains(text) }
    }

    /// Waits until a CSS selector matches an element.
    package func expect(_ selector: String) async throws {
        try await waitUntil("\(selector) is there") { try await !elements(selector).isEmpty }
    }

    /// Clicks the element of a CSS selector, once it is present; where the page replaces it first, the new one.
    ///
    /// A page that replaces the element between press and release gets no click, and is clicked again.
    package func click(_ selector: String) async throws {
        try await waitUntil("\(selector) can be clicked") {
            let element = try await element(selector)
            try await execute(Self.noteClick, element)
            try await element.click()
            do {
                if try await execute(Self.wasClicked, as: Bool.self) { return true }
            } catch let error as WebDriverError where error.isTransient {
                // The click opens another page.
                return true
            }
            return try await !element.isEnabled
        }
    }

    /// Notes in the document whether the element is clicked, unless the page's scripts are off.
    private static let noteClick = """
        const [element, click] = [arguments[0], { isNoted: false, canBeNoted: false }];
        document.expectedClick = click;
        const note = (event) => { click.isNoted = element.contains(event.target); };
        window.addEventListener("click", note, { capture: true, once: true });
        window.addEventListener("clickexpected", () => { click.canBeNoted = true; }, { once: true });
        window.dispatchEvent(new Event("clickexpected"));
        """

    /// A document without the note is the one that the click opened.
    private static let wasClicked = """
        const click = document.expectedClick;
        return !click || !click.canBeNoted || click.isNoted;
        """

    /// Types at the end of the content of a CSS selector's element, once it is present; where the page replaces it first,
    /// into the new one.
    package func type(_ text: String, into selector: String) async throws {
        try await waitUntil("\(selector) can be typed into") {
            try await element(selector).type(text)
            return true
        }
    }

    /// The page's address and text, for failure messages.
    package var summary: String {
        get async {
            let url = (try? await url) ?? "a page that does not answer"
            let title = (try? await title) ?? ""
            let text = (try? await text) ?? ""
            return "\(url) “\(title)” shows:\n\(text.prefix(4_000))"
        }
    }
}
