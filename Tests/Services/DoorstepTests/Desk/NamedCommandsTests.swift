import ArgumentParser
import Foundation
import Testing

@testable import Doorstep

@Suite("Commands that the desk's pages name")
struct NamedCommandsTests {
    @Test("A command with arguments has those that it needs, and no others")
    func arguments() throws {
        let folder = Executables.root.appending(path: "Services/desk/HTTP/Templates")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var checked: [String] = []
        for file in files where file.pathExtension == "mustache" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /<code>doorstep ([^<]+)<\/code>/) {
                let named = String(match.output.1)
                guard named.contains("{{") || named.contains("--") else { continue }
                let arguments = named.replacing(/\{\{[a-zA-Z]+\}\}/, with: "a1").split(separator: " ").map(String.init)
                #expect(throws: Never.self, "\(file.lastPathComponent): doorstep \(named)") {
                    try DoorstepCommand.parseAsRoot(arguments)
                }
                checked.append(named)
            }
        }
        #expect(checked.count >= 4 && checked.contains { $0.hasPrefix("courier phones") })
    }
}
