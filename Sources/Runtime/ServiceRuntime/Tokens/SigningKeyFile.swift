/// The file of a private key that signs tokens: its PEM, behind the key's id where the file names it.
///
/// A rotation writes `kid: orders-2` as the first line, so that no setting changes with the key.
package struct SigningKeyFile: Sendable {
    private static let mark = "kid: "

    /// Nil for a file that is a PEM alone.
    package let kid: String?
    package let pem: String

    package init(kid: String?, pem: String) {
        self.kid = kid
        self.pem = pem
    }

    package init(_ text: String) {
        let line = text.prefix { !$0.isNewline }
        guard line.hasPrefix(Self.mark) else {
            self.init(kid: nil, pem: text)
            return
        }
        self.init(kid: String(line.dropFirst(Self.mark.count)), pem: String(text[line.endIndex...]))
    }

    /// The file's text.
    package var text: String { (kid.map { "\(Self.mark)\($0)\n" } ?? "") + pem }
}
