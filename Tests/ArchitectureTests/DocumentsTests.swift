import Foundation
import Testing

@Suite("Documents")
struct DocumentsTests {
    /// Names in back-quotes that are not ours: Apple's, the language's, and what HTTP and JSON call things.
    static let foreign: Set = [
        "Activity", "ActivityKit", "Character", "Date", "Package", "String", "Duration", "Service", "ServiceGroup",
        "XMLParser",
        "Authorization", "BGAppRefreshTask", "BGProcessingTask",
    ]

    static func pages() throws -> [SourceFile] {
        let names = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        let own = try names.map { name in
            let text = try String(contentsOf: Project.root.appending(path: name), encoding: .utf8)
            return SourceFile(path: name, text: text)
        }
        return own + (try Project.files(in: ["docs"], ending: "md"))
    }

    /// What stands in back-quotes outside of code blocks, with the number of its line.
    static func quoted(in page: SourceFile) -> [(number: Int, text: String)] {
        var isCode = false
        var found: [(Int, String)] = []
        for (index, line) in page.lines.enumerated() {
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode { continue }
            found += line.matches(of: /`([^`]+)`/).map { (index + 1, String($0.1)) }
        }
        return found
    }

    /// What stands in back-quotes, and the lines of code blocks without their comments, with the number of each line.
    static func code(in page: SourceFile) -> [(number: Int, text: String)] {
        var isCode = false
        var found = quoted(in: page)
        for (index, line) in page.lines.enumerated() {
            if line.hasPrefix("```") {
                isCode.toggle()
            } else if isCode {
                found.append((number: index + 1, text: String(line.prefix { $0 != "#" })))
            }
        }
        return found
    }

    /// The names of the project's folders: a page that draws the layout names those too.
    static func folders() throws -> Set<String> {
        let files = try Project.files(in: Project.own + ["Tests", "Benchmarks"]).map(\.path)
        return Set(files.flatMap { $0.split(separator: "/").dropLast().map(String.init) }).union([
            "Infra", "Package.swift",
        ])
    }

    @Test("A type that a document names exists, and so does the member it names")
    func types() throws {
        let declarations = try Project.files(in: Project.own + ["Examples", "Tests", "Benchmarks"]).flatMap(
            \.declarations)
        let types = Set(declarations.filter(\.isType).map(\.name)).union(try Project.modules()).union(
            try Self.folders())
        let members = Set(declarations.filter { !$0.isType }.map(\.name))
        var count = 0
        for page in try Self.pages() {
            for (number, text) in Self.quoted(in: page) {
                guard
                    let match = text.wholeMatch(
                        of: /([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:\.([a-z][A-Za-z0-9]*))?(?:\(.*\))?/)
                else { continue }
                let name = String(match.1)
                if Self.foreign.contains(name) { continue }
                count += 1
                #expect(types.contains(name), "\(page):\(number): \(text)")
                if let member = match.2 { #expect(members.contains(String(member)), "\(page):\(number): \(text)") }
            }
        }
        #expect(count > 40)
    }

    @Test("A type that ARCHITECTURE places in a folder is declared in it")
    func places() throws {
        let page = try #require(try Self.pages().first { $0.path == "ARCHITECTURE.md" })
        var count = 0
        for (index, line) in page.lines.enumerated() {
            // One type or several, then the word in, then their folder.
            let place = /((?:`[A-Z][A-Za-z.]+`, )*`[A-Z][A-Za-z.]+`) in `((?:Sources|Services)\/[^`]+)`/
            for match in line.matches(of: place) {
                let declarations = try Project.files(in: [String(match.2)]).flatMap(\.declarations)
                let types = Set(declarations.filter(\.isType).map(\.name))
                for quoted in match.1.matches(of: /`([A-Z][A-Za-z]+)/) {
                    count += 1
                    #expect(types.contains(String(quoted.1)), "ARCHITECTURE.md:\(index + 1): \(quoted.1)")
                }
            }
        }
        #expect(count > 20)
    }

    @Test("A command on a delivery that needs a reason is documented with one")
    func reasons() throws {
        // A delivery is a reference or a placeholder; without one it is the command's name alone.
        let command = /doorstep ops (assign|hold|release|set-status|promise) (.* )?([A-Z<]|--from )/.overCode
        var count = 0
        for page in try Self.pages() {
            for (number, text) in Self.code(in: page) where text.contains(command) {
                count += 1
                #expect(text.contains("--reason "), "\(page):\(number): \(text)")
            }
        }
        #expect(count > 10)
    }

    @Test("A file or folder that a document names exists")
    func paths() throws {
        let path = /(Sources|Services|Tests|Infra|Benchmarks|docs)\/[A-Za-z0-9_.+\/-]+/
        for page in try Self.pages() where !page.path.hasPrefix("docs/benchmarks") {
            for (number, text) in Self.quoted(in: page) where text.wholeMatch(of: path) != nil {
                let exists = FileManager.default.fileExists(atPath: Project.root.appending(path: text).path)
                #expect(exists, "\(page):\(number): \(text)")
            }
        }
    }

    @Test("Every restore erases and revokes again before its proxy is opened")
    func restores() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "\n```").filter { $0.contains("pg_restore --") }
        #expect(blocks.count == 2)
        let steps = [
            "erasures list", "# stop your job that renews the list", "cp ", " stop ", "dropdb", "pg_restore",
            "rebuild-streams --without-republish", "doctor --wait-seconds", "erasures apply",
            "# go on only where apply ended with 0", "# start your job that renews the list", "rebuild-streams",
            "courier link --courier mira --revoke", "courier revoke", "ops courier-map mira --hide --unknown",
            "order link DELIVERY --revoke", "webhooks remove ENDPOINT", "sources remove SOURCE",
        ]
        for block in blocks {
            var rest = block[...]
            for step in steps {
                let found = try #require(rest.range(of: step), "\(step) in its place")
                rest = rest[found.upperBound...]
            }
            let emptied = try #require(block.range(of: "rebuild-streams --without-republish"))
            let started = try #require(block.range(of: "stack start") ?? block.range(of: "up -d orders"))
            #expect(emptied.upperBound < started.lowerBound, "no service reads messages newer than its database")
            // A store's token finds nothing of other stores, and nothing that belongs to none.
            let shopCommand = /doorstep (?:order|webhooks|sources) [a-z]/
            let shopLines = block.split(separator: "\n").filter { $0.contains(shopCommand) }
            #expect(shopLines.count == 3)
            for line in shopLines {
                let setting = /DOORSTEP_STORE_TOKEN_FILE=\S*(?:OPERATOR_TOKEN_FILE|operator-token) doorstep/
                #expect(line.contains(setting), "\(line)")
            }
            let last = try #require(rest.split(separator: "\n").last)
            #expect(last.hasPrefix("# open your proxy"), "a paste of the block opens it: \(last)")
        }
        // A database that was restored, or cannot be read, deletes nothing from the kept list.
        let lists = page.split(separator: "\n").filter { $0.contains("customer erasures list") }
        #expect(lists.count == 3)
        for line in lists { #expect(line.contains(/erasures list --keep \S*erasures\.json/), "\(line)") }
    }

    @Test("The part about a restore names how receivers of webhooks follow it")
    func receivers() throws {
        let page = try String(contentsOf: Project.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let part = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("Back-up and restore\n") })
        let lines = part.split(separator: "\n").filter { $0.lowercased().contains("receivers of webhooks") }
        #expect(lines.contains { $0.contains("changedSince") })
    }

    @Test("A relative link of a page leads to a file or a folder")
    func links() throws {
        let link = /\]\(([^):#]+)(#[^)]*)?\)/.overCode
        var count = 0
        for page in try Self.pages() {
            let folder = Project.root.appending(path: page.path).deletingLastPathComponent()
            for (index, line) in page.lines.enumerated() {
                for match in line.matches(of: link) {
                    count += 1
                    let target = folder.appending(path: String(match.1)).path
                    #expect(FileManager.default.fileExists(atPath: target), "\(page):\(index + 1): \(match.1)")
                }
            }
        }
        #expect(count > 150)
    }

    @Test("ARCHITECTURE begins with an overview of 600 words at most; the rest has 4,000, and no cell 40")
    func architectureIsShort() throws {
        func words(_ text: some StringProtocol) -> Int {
            text.split(whereSeparator: \.isWhitespace).count { $0.contains { $0.isLetter || $0.isNumber } }
        }
        let page = try String(contentsOf: Project.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        // The drawings are left out.
        let text = page.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            .joined()
        let overview = try #require(text.components(separatedBy: "\n## ").dropFirst().first)
        #expect(overview.hasPrefix("Overview\n") && words(overview) <= 600, "\(words(overview))")
        #expect(words(text) - words(overview) <= 4_000, "\(words(text) - words(overview))")
        for line in text.split(separator: "\n") where line.hasPrefix("|") {
            for cell in line.split(separator: "|") { #expect(words(cell) <= 40, "\(cell)") }
        }
    }

    @Test("Decisions are numbered without a gap")
    func decisions() throws {
        let folder = Project.root.appending(path: "docs/decisions")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
            .sorted()
        #expect(names.map { Int($0.prefix(4)) } == Array(1...names.count))
    }
}
