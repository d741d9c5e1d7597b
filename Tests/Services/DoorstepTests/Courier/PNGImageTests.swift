import Foundation
import TestSupport
import Testing

@testable import Doorstep

@Suite("Codes as pictures", .timeLimit(.minutes(5)))
struct PNGImageTests {
    private static let zbarimg = ["/usr/bin/zbarimg", "/usr/local/bin/zbarimg"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(
        "zbarimg reads the text of a code from its PNG file, also of a large one",
        .enabled(if: zbarimg != nil, "zbar-tools is not installed"), arguments: [(12, 8), (400, 8), (1_200, 12)])
    func readable(bytes: Int, scale: Int) async throws {
        let text = String(decoding: (0..<bytes).map { UInt8($0 % 26 + 97) }, as: UTF8.self)
        let code = try #require(QRCode(Array(text.utf8), correction: .low))
        let image = PNGImage(code, scale: scale)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(image.bytes).write(to: file)
        let (exit, output) = try await ChildProcess.run(
            try #require(Self.zbarimg), ["--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(exit == .code(0) && output == text + "\n")
        if bytes == 1_200 { #expect(image.width * image.height / 8 > 65_535) }
    }

    @Test("A picture of one dark pixel is the file that was reviewed")
    func onePixel() {
        let image = PNGImage(width: 1, height: 1) { _, _ in true }
        let hex = image.bytes.map { String(Int($0) | 0x100, radix: 16).dropFirst() }.joined()
        #expect(hex == Self.onePixel)
    }

    /// Written by another encoder, with Python's zlib and struct.
    private static let onePixel =
        "89504e470d0a1a0a0000000d4948445200000001000000010100000000376ef9240000000a49444154789c6360000000"
        + "02000148afa4710000000049454e44ae426082"
}
