/// The medium of a card's drawing: its safe texts and their lengths.
package struct CardMedium: Sendable {
    /// Removes characters that would control the medium, such as a control character in a name.
    package let safeText: @Sendable (String) -> String
    /// Whether a headline fits into its row, besides the remaining time.
    package let fitsHeadline: @Sendable (_ headline: String, _ within: String?, CardFace.Life) -> Bool
    /// Whether a question fits into the rows reserved for it.
    package let fitsQuestion: @Sendable (String) -> Bool
    /// Whether a text has room on either side of the island's camera.
    package let fitsIslandSide: @Sendable (String) -> Bool

    package init(
        safeText: @escaping @Sendable (String) -> String,
        fitsHeadline: @escaping @Sendable (_ headline: String, _ within: String?, CardFace.Life) -> Bool,
        fitsQuestion: @escaping @Sendable (String) -> Bool, fitsIslandSide: @escaping @Sendable (String) -> Bool
    ) {
        self.safeText = safeText
        self.fitsHeadline = fitsHeadline
        self.fitsQuestion = fitsQuestion
        self.fitsIslandSide = fitsIslandSide
    }

    /// Lines break where they must, so that every text fits; names change no direction of the words around them.
    package static let page = CardMedium(
        safeText: { $0.withIsolatesAlone }, fitsHeadline: { _, _, _ in true }, fitsQuestion: { _ in true },
        fitsIslandSide: { $0.count <= 8 })
}
