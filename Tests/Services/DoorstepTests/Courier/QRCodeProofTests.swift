import Foundation
import TestSupport
import Testing

@testable import Doorstep

/// Our encoder against programs that others wrote; each part runs where its program is installed.
@Suite("QR codes read by other programs", .timeLimit(.minutes(5)))
struct QRCodeProofTests {
    /// Printable text of so many bytes, which differs with each length.
    private static func text(bytes count: Int) -> String {
        String(decoding: (0..<count).map { UInt8(($0 * 7 + count) % 94 + 33) }, as: UTF8.self)
    }

    private static func path(of program: String) -> String? {
        ["/usr/bin", "/usr/local/bin"].map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    @Test(
        "zbarimg reads what a terminal shows, up to the largest code that fits in one and at both levels",
        .enabled(if: path(of: "zbarimg") != nil, "zbar-tools is not installed"), arguments: 1...15)
    func zbarimg(version: Int) async throws {
        let program = try #require(Self.path(of: "zbarimg"))
        for correction in QRCode.Correction.allCases {
            let text = Self.text(bytes: QRVersion.all(correction)[version - 1].bytesMax)
            let code = try #require(QRCode(Array(text.utf8), correction: correction))
            #expect(code.version == version)
            for isOnLight in [false, true] {
                let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pgm")
                defer { try? FileManager.default.removeItem(at: file) }
                try Self.picture(of: QRDrawing(code: code, isOnLight: isOnLight)).write(to: file)
                let (exit, output) = try await ChildProcess.run(
                    program, ["--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file.path],
                    environment: ["PATH": "/usr/bin:/bin"])
                #expect(exit == .code(0) && output == text + "\n", "\(version) \(correction)")
            }
        }
    }

    /// The terminal's characters as a picture (PGM), each module four pixels wide.
    private static func picture(of drawing: QRDrawing) -> Data {
        let scale = 4
        let rows = drawing.lines.flatMap { line in
            [line.map { $0 == "█" || $0 == "▀" }, line.map { $0 == "█" || $0 == "▄" }]
        }
        let columns = rows.first?.count ?? 0
        var data = Data("P5 \(columns * scale) \(rows.count * scale) 255\n".utf8)
        for row in rows {
            // Characters are written dark on a light terminal, and light on a dark one.
            let pixels = row.flatMap { isInk in
                Array(repeating: isInk == drawing.isOnLight ? UInt8(0) : 255, count: scale)
            }
            for _ in 0..<scale { data.append(contentsOf: pixels) }
        }
        return data
    }

    @Test(
        "qrencode draws every module as we do, in every version and at both levels",
        .enabled(if: path(of: "qrencode") != nil, "qrencode is not installed"), arguments: 1...40)
    func qrencode(version: Int) async throws {
        let program = try #require(Self.path(of: "qrencode"))
        for (correction, level) in [(QRCode.Correction.low, "L"), (.medium, "M")] {
            let text = Self.text(bytes: QRVersion.all(correction)[version - 1].bytesMax)
            let (exit, output) = try await ChildProcess.run(
                program, ["-8", "-l", level, "-v", "\(version)", "-m", "0", "-t", "ASCII", "-o", "-", "--", text],
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(exit == .code(0), "\(output)")
            let theirs = output.split(separator: "\n").map { line in
                Array(line).enumerated().filter { $0.offset.isMultiple(of: 2) }.map { $0.element == "#" }
            }
            // Which mask reads best is a judgement; libqrencode weighs it a little differently.
            let ours = (0..<8).lazy.compactMap { QRCode(Array(text.utf8), correction: correction, mask: $0) }
            let isDrawn = ours.contains { code in
                (0..<code.size).map { y in (0..<code.size).map { x in code.isDark(x: x, y: y) } } == theirs
            }
            #expect(isDrawn, "version \(version), level \(level)")
        }
    }
}
