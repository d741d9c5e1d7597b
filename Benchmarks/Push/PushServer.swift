import APIClient
import APNsClient
import ArgumentParser
import AsyncHTTPClient
import Crypto
import Foundation
import NIOHTTP1
import TextCoding

/// The target of pushes, with a certificate of its own, on loopback; it answers each with 200.
final class PushServer {
    enum Kind: String, Encodable, CaseIterable, ExpressibleByArgument {
        /// The fastest server in Debian: the client is measured.
        case nghttpd
        /// Checks each push as APNs does, and hands it to a phone.
        case emulator = "apns-emulator"
    }

    /// The server's address, and its clients' settings.
    struct Place: Sendable {
        let kind: Kind
        let port: Int
        /// The certificate, for clients to trust.
        let certificate: String
        let folder: String
        let deviceToken: String
        let key: ProviderKey
        /// A value of `authorization` that is signed with ``key``.
        let authorization: String

        var origin: String { "https://127.0.0.1:\(port)" }
        var url: String { "\(origin)/3/device/\(deviceToken)" }
    }

    static let bundleID = "shop.nordhavn.app"
    private static let keyID = "EMULATORK1"
    private static let teamID = "EMULATORT1"

    let place: Place
    private let process: GuardedProcess

    private init(place: Place, process: GuardedProcess) {
        self.place = place
        self.process = process
    }

    /// Seconds of processor time that it has used.
    var cpuSeconds: Double { process.cpuSeconds }

    func stop() { process.stop() }

    static func start(_ kind: Kind, _ settings: PushBench) async throws -> PushServer {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "doorstep-push-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch kind {
        case .nghttpd: return try nghttpd(in: folder, streams: settings.streams)
        case .emulator: return try await emulator(in: folder, program: settings.emulatorPath)
        }
    }

    private static func nghttpd(in folder: URL, streams: Int) throws -> PushServer {
        // Hex, as long as the tokens of Live Activities are.
        let deviceToken = String(repeating: "0123456789abcdef", count: 10)
        let devices = folder.appending(path: "pages/3/device")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        try Data().write(to: devices.appending(path: deviceToken))
        let key = folder.appending(path: "key.pem").path
        let certificate = folder.appending(path: "certificate.pem").path
        _ = try run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=IP:127.0.0.1,DNS:localhost",
            ])
        let port = try Socket.freePort()
        let pem = P256.Signing.PrivateKey().pemRepresentation
        let place = try place(
            .nghttpd, port: port, certificate: certificate, folder: folder, deviceToken: deviceToken, keyPEM: pem)
        let process = try GuardedProcess(
            [
                "nghttpd", "--address=127.0.0.1", "--max-concurrent-streams=\(streams)",
                "--htdocs=\(folder.appending(path: "pages").path)", "\(port)", key, certificate,
            ], folder: folder)
        return PushServer(place: place, process: process)
    }

    private static func emulator(in folder: URL, program: String) async throws -> PushServer {
        _ = try run(
            program, ["init", "--directory", folder.path, "--key-id", keyID, "--team-id", teamID])
        let portsFile = folder.appending(path: "ports")
        let process = try GuardedProcess(
            [program, "run", "--directory", folder.path, "--ports-file", portsFile.path], folder: folder)
        var ports: [Substring: Int] = [:]
        for _ in 0..<100 where ports.isEmpty {
            try await Task.sleep(for: .milliseconds(100))
            let lines = (try? String(contentsOf: portsFile, encoding: .utf8))?.split(separator: "\n") ?? []
            for line in lines {
                let words = line.split(separator: "=")
                if words.count == 2 { ports[words[0]] = Int(words[1]) }
            }
        }
        guard let port = ports["production"], let control = ports["control"] else {
            throw BenchFailure("\(program) does not say within 10 s where it listens")
        }
        let place = try place(
            .emulator, port: port, certificate: folder.appending(path: "ca.pem").path, folder: folder,
            deviceToken: try await phone(control: control),
            keyPEM: try String(contentsOf: folder.appending(path: "AuthKey_\(keyID).p8"), encoding: .utf8))
        return PushServer(place: place, process: process)
    }

    /// Adds a phone, and returns its token; it drops its pushes, like most of a load test's.
    private static func phone(control: Int) async throws -> String {
        struct Phone: Decodable { let startToken: String }
        let answer = try await HTTPClient.shared.call(
            .POST, "http://127.0.0.1:\(control)/phones", body: #"{"id":"bench","bundleID":"\#(bundleID)"}"#
        ).require(.created, "adding a phone")
        return try JSONDecoder().decode(Phone.self, from: answer.body).startToken
    }

    private static func place(
        _ kind: Kind, port: Int, certificate: String, folder: URL, deviceToken: String, keyPEM: String
    ) throws -> Place {
        let token = try ES256Key(pem: keyPEM).sign(
            header: #"{"alg":"ES256","kid":"\#(keyID)"}"#,
            claims: #"{"iss":"\#(teamID)","iat":\#(Int(Date().timeIntervalSince1970))}"#)
        return Place(
            kind: kind, port: port, certificate: certificate, folder: folder.path, deviceToken: deviceToken,
            key: try ProviderKey(pem: keyPEM, source: "the benchmark's key", keyID: keyID, teamID: teamID),
            authorization: "bearer \(token)")
    }
}
