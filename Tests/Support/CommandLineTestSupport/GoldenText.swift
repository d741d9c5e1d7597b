internal import Foundation
package import Testing

/// Compares text with a file in the `Golden` folder of the calling test target; `UPDATE_GOLDEN=1` rewrites the file
/// instead.
package func expectGolden(
    _ text: String, _ name: String, testFile: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let file = try goldenFolder(above: URL(filePath: testFile)).appending(path: name)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return
    }
    let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == golden, "\(name) differs", sourceLocation: sourceLocation)
}

/// The nearest `Golden` folder in the file's folder or above it.
private func goldenFolder(above file: URL) throws -> URL {
    var folder = file.deletingLastPathComponent()
    while folder.path != "/" {
        let golden = folder.appending(path: "Golden", directoryHint: .isDirectory)
        if FileManager.default.fileExists(atPath: golden.path) { return golden }
        folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
}
