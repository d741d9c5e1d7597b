import BrowserSupport

extension BrowserPage {
    /// Removes what older browsers do not have, such as Safari 14 and Chrome 85, from the page that is open.
    func beOlder() async throws {
        try await execute(
            """
            delete AbortSignal.timeout
            delete Element.prototype.replaceChildren
            delete window.createImageBitmap
            Object.defineProperty(SubmitEvent.prototype, "submitter", { value: undefined })
            const { DateTimeFormat } = Intl
            Intl.DateTimeFormat = function (language, options) {
                if (options.timeZoneName === "shortOffset") { throw new RangeError("timeZoneName") }
                return new DateTimeFormat(language, options)
            }
            """)
    }
}
