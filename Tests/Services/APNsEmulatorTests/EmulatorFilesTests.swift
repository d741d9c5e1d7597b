import Foundation
import SwiftASN1
import Testing

@testable import APNsEmulator

@Suite("Files of the emulator")
struct EmulatorFilesTests {
    /// Runs the body with a folder that is another one where its name is percent-encoded.
    private func withFolder(_ body: (EmulatorFiles) throws -> Void) throws {
        let folder = URL(
            filePath: FileManager.default.temporaryDirectory.path + "/apns \(UUID().uuidString) a b ø%20",
            directoryHint: .isDirectory)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(EmulatorFiles(directory: folder))
    }

    @Test("Made again, the files are the same: a provider keeps its key")
    func again() throws {
        try withFolder { files in
            try files.make(names: ["localhost"], keyID: "TESTKEY001", teamID: "TESTTEAM01")
            let before = try [files.caCertificate, files.serverKey, files.providerKey("TESTKEY001")].map(files.read)
            try files.make(names: ["localhost"], keyID: "TESTKEY001", teamID: "TESTTEAM01")
            let after = try [files.caCertificate, files.serverKey, files.providerKey("TESTKEY001")].map(files.read)
            #expect(before == after)
        }
    }

    @Test("Private keys are their owner's alone")
    func permissions() throws {
        try withFolder { files in
            try files.make(names: ["localhost"], keyID: "TESTKEY001", teamID: "TESTTEAM01")
            for file in [files.serverKey, files.providerKey("TESTKEY001")] {
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }

    @Test("The settings of a service name the key, the test CA and both ports")
    func lines() throws {
        try withFolder { files in
            try files.make(names: ["localhost"], keyID: "TESTKEY001", teamID: "TESTTEAM01")
            let lines = try files.lines(host: "localhost", ports: .init(production: 1, sandbox: 2))
            #expect(lines.contains("APNS_KEY_ID=TESTKEY001"))
            #expect(lines.contains("APNS_TEAM_ID=TESTTEAM01"))
            #expect(lines.contains("APNS_PRODUCTION_URL=https://localhost:1"))
            #expect(lines.contains("APNS_SANDBOX_URL=https://localhost:2"))
            #expect(lines.contains("APNS_KEY_FILE=\(files.directory.path)/AuthKey_TESTKEY001.p8"))
            #expect(lines.contains("APNS_TRUST_ROOTS_FILE=\(files.directory.path)/ca.pem"))
        }
    }

    @Test("A file that is not there is named, with what makes it")
    func missing() throws {
        try withFolder { files in
            #expect {
                try files.signingKey()
            } throws: { error in
                "\(error)".contains("emulator.json") && "\(error)".contains("apns-emulator init")
            }
        }
    }

    @Test("An address is told from a name", arguments: [("127.0.0.1", 4), ("::1", 16)])
    func addresses(text: String, bytes: Int) {
        #expect(EmulatorFiles.address(text)?.bytes.count == bytes)
        #expect(EmulatorFiles.address("localhost") == nil)
    }
}
