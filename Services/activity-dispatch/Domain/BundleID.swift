/// The bundle id of an app that shows cards, such as `shop.nordhavn.app`.
struct BundleID: Hashable, Sendable {
    let text: String

    /// What Apple makes a topic of Live Activities with.
    private static let topicSuffix = ".push-type.liveactivity"
    private static let charactersMax = 155

    struct Invalid: Error, Hashable, CustomStringConvertible {
        /// What it is or is not, after a name for it.
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

    /// Where APNs delivers pushes to Live Activities of the app.
    var topic: String { text + Self.topicSuffix }
}
