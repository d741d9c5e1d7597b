import Crypto
import Foundation

@testable import APNsEmulator

/// A provider's key of the tests, and tokens signed with it.
struct ProviderKey: Sendable {
    let keyID: String
    let teamID: String
    let privateKey = P256.Signing.PrivateKey()

    init(keyID: String = "TESTKEY001", teamID: String = "TESTTEAM01") {
        self.keyID = keyID
        self.teamID = teamID
    }

    var signingKey: SigningKey {
        SigningKey(keyID: keyID, teamID: teamID, publicKey: privateKey.publicKey)
    }

    /// The value of `authorization`.
    ///
    /// - Parameter isDER: whether the signature is in DER, as Apple's own sample has it.
    func bearer(
        issuedAt: Int, isDER: Bool = false, algorithm: String = "ES256", keyID: String? = nil, teamID: String? = nil
    ) throws -> String {
        try bearer(
            issuedAtClaim: "\(issuedAt)", isDER: isDER, algorithm: algorithm, keyID: keyID, teamID: teamID)
    }

    /// - Parameter issuedAtClaim: the JSON of `iat`.
    func bearer(
        issuedAtClaim: String, isDER: Bool = false, algorithm: String = "ES256", keyID: String? = nil,
        teamID: String? = nil
    ) throws -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"\#(keyID ?? self.keyID)"}"#
        let claims = #"{"iss":"\#(teamID ?? self.teamID)","iat":\#(issuedAtClaim)}"#
        let input = Self.base64URL(Data(header.utf8)) + "." + Self.base64URL(Data(claims.utf8))
        let signature = try privateKey.signature(for: Data(input.utf8))
        return "bearer \(input).\(Self.base64URL(isDER ? signature.derRepresentation : signature.rawRepresentation))"
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
