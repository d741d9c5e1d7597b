import Foundation
import Testing

@Suite("The page for iOS developers")
struct PageTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("Each of its snippets is in the sample, which is compiled")
    func snippets() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/ios.md"), encoding: .utf8)
        let folder = Self.root.appending(path: "Examples/DoorstepWidget")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let sample = try names.map {
            Self.lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
        }
        let snippets = page.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }.map(Self.lines)
        #expect(snippets.count >= 10)
        for snippet in snippets {
            #expect(
                sample.contains { file in
                    file.indices.contains { file[$0...].starts(with: snippet) }
                }, "\(snippet.joined(separator: "\n"))")
        }
    }
}
