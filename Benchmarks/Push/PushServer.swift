import Foundation

/// An `nghttpd` on loopback with a certificate of its own, which answers every push with 200.
final class PushServer {
    /// Hex, as long as the tokens of Live Activities are.
    static let deviceToken = String(repeating: "0123456789abcdef", count: 10)

    /// Where it listens, and what its clients need.
    struct Place: Sendable {
        let port: Int
        /// The certificate, for clients to trust.
        let certificate: String
        let folder: String

        var origin: String { "https://127.0.0.1:\(port)" }
        var url: String { "\(origin)/3/device/\(PushServer.deviceToken)" }
    }

    let place: Place
    private let folder: URL
    private let process = Process()

    init(streams: Int) throws {
        folder = URL(filePath: NSTemporaryDirectory()).appending(path: "doorstep-push-\(UUID().uuidString)")
        let devices = folder.appending(path: "pages/3/device")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        try Data().write(to: devices.appending(path: Self.deviceToken))
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
        place = Place(port: port, certificate: certificate, folder: folder.path)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "nghttpd", "--address=127.0.0.1", "--max-concurrent-streams=\(streams)",
            "--htdocs=\(folder.appending(path: "pages").path)", "\(port)", key, certificate,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // A folder of the system's temporary ones: what is left of it does no harm.
        try? FileManager.default.removeItem(at: folder)
    }
}
