/// Text out of the HTML that writers of maps put in an attribution.
enum PlainText {
    private static let entities = [
        "&copy;": "©", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&nbsp;": " ", "&amp;": "&",
    ]
    private static let charactersMax = 500

    /// The text without tags and with the usual entities as letters; nil where nothing remains.
    static func ofMarkup(_ markup: String) -> String? {
        var text = markup.replacing(#/<[^<>]*>/#, with: "")
        // The ampersand is last: `&amp;lt;` is `&lt;` to a reader.
        for (entity, letter) in entities where entity != "&amp;" { text = text.replacing(entity, with: letter) }
        text = text.replacing("&amp;", with: "&").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.isEmpty ? nil : String(text.prefix(charactersMax))
    }
}
