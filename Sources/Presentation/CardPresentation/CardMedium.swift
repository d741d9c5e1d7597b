/// What a card is drawn in: which texts are safe there, and how long they may be.
package struct CardMedium: Sendable {
    /// The text without what would steer the medium, such as a control character in a name.
    package let safeText: @Sendable (String) -> String
    /// Whether a headline has room in its row, beside what is left of the timer.
    package let fitsHeadline: @Sendable (_ headline: String, _ remaining: String?, CardFace.Life) -> Bool
    /// Whether a question has room in the rows that it may take.
    package let fitsQuestion: @Sendable (String) -> Bool
    /// Whether a text has room on either side of the island's camera.
    package let fitsIslandSide: @Sendable (String) -> Bool

    package init(
        safeText: @escaping @Sendable (String) -> String,
        fitsHeadline: @escaping @Sendable (_ headline: String, _ remaining: String?, CardFace.Life) -> Bool,
        fitsQuestion: @escaping @Sendable (String) -> Bool, fitsIslandSide: @escaping @Sendable (String) -> Bool
    ) {
        self.safeText = safeText
        self.fitsHeadline = fitsHeadline
        self.fitsQuestion = fitsQuestion
        self.fitsIslandSide = fitsIslandSide
    }

    /// Lines break where they must, so that every text fits; names change no direction of the words around them.
    package static let page = CardMedium(
        safeText: { $0.withoutDirectionControls }, fitsHeadline: { _, _, _ in true }, fitsQuestion: { _ in true },
        fitsIslandSide: { $0.count <= 8 })
}
