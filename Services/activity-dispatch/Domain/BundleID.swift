/// The bundle id of an app that shows cards, such as `shop.nordhavn.app`.
struct BundleID: Hashable, Sendable {
    let text: String

    /// The suffix of Apple's topics for Live Activities.
    private static let topicSuffix = ".push-type.liveactivity"
    private static let charactersMax = 155

    struct Invalid: Error, Hashable, CustomStringConvertible {
        /// The fault, as a clause that follows a name of the value.
        let description: String
    }

    /// - Throws: ``Invalid`` where it is no bundle id, or already the topic that is made of one.
    init(_ text: String) throws(Invalid) {
        guard !text.hasSuffix(Self.topicSuffix) else {
            throw Invalid(description: "is the app's alone, without \(Self.topicSuffix)")
        }
        guard (1...Self.charactersMax).contains(text.utf8.count),
            text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") })
        else { throw Invalid(description: "is not a bundle id such as shop.nordhavn.app") }
        self.text = text
    }

    /// The APNs topic of the app's Live Activities.
    var topic: String { text + Self.topicSuffix }
}
