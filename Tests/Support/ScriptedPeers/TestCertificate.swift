import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A self-signed certificate for loopback, generated for each use.
package struct TestCertificate: Sendable {
    private let pem: String
    private let keyPEM: String
    /// The path of the certificate, for clients to trust.
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

    /// A server's TLS context with the certificate.
    ///
    /// - Parameters:
    ///   - protocols: the server's ALPN offer.
    ///   - tlsMax: the newest TLS version offered; nil for all versions.
    func serverContext(protocols: [String], tlsMax: TLSVersion?) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(pem.utf8), format: .pem))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)))
        tls.applicationProtocols = protocols
        tls.maximumTLSVersion = tlsMax
        return try NIOSSLContext(configuration: tls)
    }
}
