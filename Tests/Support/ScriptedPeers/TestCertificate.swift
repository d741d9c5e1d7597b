import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A self-signed certificate for loopback, made anew for each use.
package struct TestCertificate: Sendable {
    private let pem: String
    private let keyPEM: String
    /// Where the certificate is, for clients to trust.
    package let file: String

    package init() throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Peer of a test") }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: now - 3_600, notValidAfter: now + 3_600, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1])),
                ])
            },
            issuerPrivateKey: .init(key))
        pem = try certificate.serializeAsPEM().pemString
        keyPEM = key.pemRepresentation
        file = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString).pem").path
        try Data(pem.utf8).write(to: URL(filePath: file))
    }

    /// What a server needs to present the certificate.
    ///
    /// - Parameters:
    ///   - protocols: what the server offers by ALPN.
    ///   - tlsMax: the newest TLS that the server speaks; nil for all that there are.
    func serverContext(protocols: [String], tlsMax: TLSVersion?) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)))
        tls.applicationProtocols = protocols
        tls.maximumTLSVersion = tlsMax
        return try NIOSSLContext(configuration: tls)
    }
}
