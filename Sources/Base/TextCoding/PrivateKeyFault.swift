/// The kind of PEM file found where a P-256 private key was expected.
public enum PrivateKeyFault: Error, Hashable, Sendable {
    case certificate, encrypted, publicKey, otherCurve, other

    public init(pem text: String) {
        self =
            if text.contains("BEGIN CERTIFICATE") {
                .certificate
            } else if text.contains("BEGIN ENCRYPTED PRIVATE KEY") {
                .encrypted
            } else if text.contains("BEGIN PUBLIC KEY") {
                .publicKey
            } else if text.contains("PRIVATE KEY") {
                .otherCurve
            } else {
                .other
            }
    }

    /// Continues a sentence that begins with the file's name.
    public var text: String {
        switch self {
        case .certificate: "is a certificate, not a private key"
        case .encrypted: "is encrypted, which is not supported"
        case .publicKey: "is a public key, not a private one"
        case .otherCurve: "is not a private key of the curve P-256"
        case .other: "is not a PEM file with a private key"
        }
    }
}
