import ArgumentParser
import Foundation
import Testing

@testable import DoorstepAdmin

@Suite("The steps of upgrades")
struct UpgradesTests {
    private static func document(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static let page = """
        # Upgrades

        What to do.

        ## 0.12: a third

        - Third.

        ## 0.9: a second

        - Second,
          in two lines.

        ## 0.2: a first

        - First.
        """

    @Test("From a version on every later one's steps are printed, the oldest first")
    func applying() throws {
        let upgrades = Upgrades(page: Self.page)
        func text(_ version: String) throws -> String { upgrades.text(from: try #require(ReleaseNumber(version))) }
        #expect(
            try text("0.8.3").hasSuffix(
                "\n\nTo 0.9: a second\n\n- Second,\n  in two lines.\n\nTo 0.12: a third\n\n- Third."))
        #expect(try !text("0.9.1").contains("second") && text("0.9.1").contains("third"))
        #expect(try text("0.12.0").hasPrefix("No version since 0.12.0 has steps of its own."))
        #expect(try text("0.1").contains("To 0.2: a first"))
    }

    @Test("A text that is no version is refused", arguments: ["", "0", "0.x", "v0.21.0", "0.21.0.1", "0.-1", "0..1"])
    func noVersion(text: String) {
        #expect(ReleaseNumber(text) == nil)
        #expect(throws: (any Error).self) { try AdminDoctor.parse(["--from", text]) }
    }

    @Test("A wait is a time that a clock has, and steps of an upgrade need none")
    func waits() throws {
        #expect(try AdminDoctor.parse(["--wait-seconds", "60"]).waitSeconds == 60)
        for seconds in ["inf", "nan", "1e300", "86401"] {
            #expect(throws: (any Error).self, "\(seconds)") { try AdminDoctor.parse(["--wait-seconds", seconds]) }
        }
        #expect(throws: (any Error).self) { try AdminDoctor.parse(["--from", "0.21.0", "--wait-seconds", "60"]) }
    }

    @Test("The executable has the page, newest first, and the page on operations lists the same versions")
    func documents() throws {
        #expect(try String(decoding: PackageResources.upgrades_md, as: UTF8.self) == Self.document("docs/upgrades.md"))
        let sections = Upgrades.current.sections
        #expect(sections.count > 8 && sections.map(\.version) == sections.map(\.version).sorted(by: >))
        for section in sections { #expect(section.text.hasPrefix("- "), "\(section.version)") }
        let operations = try Self.document("docs/operations.md")
        let table = try #require(operations.split(separator: "| To | Has steps of its own |\n|---|---|\n").last)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("| ") }
        #expect(rows.map(String.init) == sections.map { "| \($0.version) | \($0.title) |" })
    }
}
