import Crypto
import Foundation
import SwiftASN1
import X509

/// The files of one emulator: its test CA, the server's certificate, and the provider's key.
struct EmulatorFiles: Sendable {
    let directory: URL

    var caCertificate: URL { directory.appending(path: "ca.pem") }
    var serverCertificate: URL { directory.appending(path: "server.pem") }
    var serverKey: URL { directory.appending(path: "server-key.pem") }
    var settings: URL { directory.appending(path: "emulator.json") }

    func providerKey(_ keyID: String) -> URL { directory.appending(path: "AuthKey_\(keyID).p8") }

    /// The provider's key for `run`: its public half only.
    struct Settings: Codable, Sendable {
        let keyID: String
        let teamID: String
        /// PEM.
        let publicKey: String
    }

    /// A file that cannot be used, and what to do about it.
    struct UnusableFile: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes every missing file; existing files are kept, so that providers keep their key.
    ///
    /// - Parameter names: host names and addresses of the server's certificate.
    func make(names: [String], keyID: String, teamID: String) throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if !exists(caCertificate) || !exists(serverCertificate) || !exists(serverKey) { try makeCertificates(names) }
        if !exists(settings) || !exists(providerKey(keyID)) {
            let key = P256.Signing.PrivateKey()
            try write(key.pemRepresentation, to: providerKey(keyID), isSecret: true)
            let settings = Settings(keyID: keyID, teamID: teamID, publicKey: key.publicKey.pemRepresentation)
            try write(String(decoding: JSONEncoder().encode(settings), as: UTF8.self), to: self.settings)
        }
    }

    /// The provider's key as the emulator checks with it.
    func signingKey() throws -> SigningKey {
        let settings = try JSONDecoder().decode(Settings.self, from: read(settings))
        // `UnusableFile` names the file and the property; a parser's error would name neither.
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: settings.publicKey) else {
            throw UnusableFile(description: "\(self.settings.path): publicKey is no P-256 key in PEM")
        }
        return SigningKey(keyID: settings.keyID, teamID: settings.teamID, publicKey: key)
    }

    func read(_ file: URL) throws -> Data {
        do { return try Data(contentsOf: file) } catch {
            throw UnusableFile(
                description: "\(file.path) cannot be read; run apns-emulator init --directory \(directory.path)")
        }
    }

    /// The settings of a service that is to push here, as its environment variables; its app's bundle id is its own.
    ///
    /// - Parameter ports: nil before it is known where the emulator listens.
    func lines(host: String, ports: ProviderServer.Ports?) throws -> [String] {
        let key = try signingKey()
        return [
            "APNS_KEY_FILE=\(providerKey(key.keyID).path)",
            "APNS_KEY_ID=\(key.keyID)",
            "APNS_TEAM_ID=\(key.teamID)",
            "APNS_TRUST_ROOTS_FILE=\(caCertificate.path)",
            "APNS_PRODUCTION_URL=https://\(host):\(ports.map { "\($0.production)" } ?? "PORT")",
            "APNS_SANDBOX_URL=https://\(host):\(ports.map { "\($0.sandbox)" } ?? "SANDBOX_PORT")",
        ]
    }

    // MARK: - Certificates

    private func makeCertificates(_ names: [String]) throws {
        let now = Date()
        let from = now.addingTimeInterval(-3600)
        let until = now.addingTimeInterval(825 * 86_400)
        let caKey = P256.Signing.PrivateKey()
        let caName = try DistinguishedName { CommonName("apns-emulator test CA") }
        let ca = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(caKey.publicKey), notValidBefore: from,
            notValidAfter: until, issuer: caName, subject: caName, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            }, issuerPrivateKey: .init(caKey))
        let serverKey = P256.Signing.PrivateKey()
        let server = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey), notValidBefore: from,
            notValidAfter: until, issuer: caName,
            subject: try DistinguishedName { CommonName("apns-emulator") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
            }, issuerPrivateKey: .init(caKey))
        try write(ca.serializeAsPEM().pemString + "\n", to: caCertificate)
        try write(
            server.serializeAsPEM().pemString + "\n" + ca.serializeAsPEM().pemString + "\n", to: serverCertificate)
        try write(serverKey.pemRepresentation, to: self.serverKey, isSecret: true)
    }

    private static func generalName(_ name: String) -> GeneralName {
        if let address = address(name) { return .ipAddress(address) }
        return .dnsName(name)
    }

    // MARK: - Files

    private func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    private func write(_ text: String, to file: URL, isSecret: Bool = false) throws {
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes(
            [.posixPermissions: isSecret ? 0o600 : 0o644], ofItemAtPath: file.path)
    }
}
