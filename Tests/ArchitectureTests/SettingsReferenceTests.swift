import Foundation
import Testing

/// `docs/settings.md` and the code have the same settings.
@Suite("Settings reference")
struct SettingsReferenceTests {
    /// Kept by the process itself: nobody sets it.
    private static let internalKeys: Set = ["service.name"]
    /// The folders whose Swift reads configuration keys.
    private static let readers = [
        "Sources/Runtime", "Services/orders", "Services/courier-eta", "Services/activity-dispatch",
        "Services/desk", "Services/partners",
    ]

    private struct Row {
        let names: [String]
        let cells: [String]
    }

    /// The rows of every table on the page, by the back-quoted names of their first cells.
    private func rows() throws -> [Row] {
        let page = try text("docs/settings.md")
        return page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(names: cells[0].matches(of: #/`([^`]+)`/#).map { String($0.output.1) }, cells: cells)
        }
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
    }

    /// A configuration key, which has dots and lower-case words, and the only one that has no dot.
    private static func isKey(_ name: String) -> Bool {
        name == "environment" || name.wholeMatch(of: #/[a-z]+(\.[a-zA-Z]+)+/#) != nil
    }

    /// Every key that a service reads: from calls of a reader, and from the tables of `Configuration` types.
    private func keysOfCode() throws -> Set<String> {
        let call =
            #/[. ](?:text|requiredText|texts|integer|positiveNumber|seconds|truth|choice|time|secret|requiredSecret|string|url|profile)\(\s*(?:forKey: )?"([a-zA-Z.]+)"/#
        let row = #/^\s*\/\/\/ \| (`[^|]+) \|/#
        var keys: Set<String> = []
        for file in try Project.files(in: Self.readers) where file.imports.contains("Configuration") {
            let text = file.lines.joined(separator: "\n")
            keys.formUnion(text.matches(of: call).map { String($0.output.1) })
            keys.formUnion(text.matches(of: #/let key = "([a-zA-Z.]+)"/#).map { String($0.output.1) })
            for line in file.lines {
                guard let cell = line.firstMatch(of: row)?.output.1 else { continue }
                keys.formUnion(cell.matches(of: #/`([^`]+)`/#).map { String($0.output.1) })
            }
        }
        return keys.filter(Self.isKey).subtracting(Self.internalKeys)
    }

    /// Every variable of ours in Swift, scripts and Compose files, and every other that our executables read by name.
    private func variablesOfCode() throws -> Set<String> {
        let own = try Project.files(in: Project.own)
        let reading = #/environment\["([A-Z_]+)"\]/#.overCode
        let read = own.flatMap { file in
            file.lines.flatMap { $0.matches(of: reading).map { String($0.output.1) } }
        }
        let others = try Project.files(in: ["Tests", "Benchmarks"])
            .filter { !$0.path.hasPrefix("Tests/ArchitectureTests") }
        let texts = try (own + others).map { $0.lines.joined(separator: "\n") } + scripts()
        let ours = texts.flatMap { $0.matches(of: #/DOORSTEP_[A-Z0-9_]*[A-Z0-9]/#.overCode).map { String($0.output) } }
        return Set(ours).union(read)
    }

    /// Scripts, Dockerfiles and Compose files: everything in `Infra` and `.ci`, and what lies in the project's folder.
    private func scripts() throws -> [String] {
        let files = FileManager.default
        let named = [
            ".ci/run", "Makefile", "Benchmarks/run", "Benchmarks/compare", "docker-compose.yml",
            "docker-compose.scale.yml", "docker-compose.phones.yml", "docker-compose.tls.yml",
            "docker-compose.tiles.yml",
        ]
        let infra = files.enumerator(atPath: Project.root.appending(path: "Infra").path)?.compactMap { $0 as? String }
        return try (named + (infra ?? []).map { "Infra/\($0)" }).filter { path in
            var isFolder: ObjCBool = false
            return files.fileExists(atPath: Project.root.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.map(text)
    }

    /// `http.bodyBytesMax` is `HTTP_BODY_BYTES_MAX`.
    private func variable(of key: String) -> String {
        key.replacing(".", with: "_").replacing(#/[A-Z]/#) { "_\($0.output)" }.uppercased()
    }

    @Test("Every key that a service reads has a row, and every row's key is read")
    func keys() throws {
        let documented = Set(try rows().flatMap(\.names).filter(Self.isKey))
        let read = try keysOfCode()
        #expect(read.count > 40, "the pattern finds them")
        #expect(read.subtracting(documented).sorted() == [], "read, but not on the page")
        #expect(documented.subtracting(read).sorted() == [], "on the page, but read nowhere")
    }

    @Test("Every variable that code or a script reads has a row, and every row's variable is read")
    func variables() throws {
        let documented = Set(try rows().flatMap(\.names).filter { !Self.isKey($0) })
        let read = try variablesOfCode()
        let keys = Set(try rows().flatMap(\.names).filter(Self.isKey).map(variable))
        #expect(read.subtracting(documented).subtracting(keys).sorted() == [], "read, but not on the page")
        let everywhere = try scripts().joined(separator: "\n")
        let unread = documented.subtracting(read).filter { !everywhere.contains($0) }
        #expect(unread.sorted() == [], "on the page, but read nowhere")
    }

    @Test("A key's row has its variable, a type, a default, whether it is secret, and what it does")
    func complete() throws {
        for row in try rows() where row.names.allSatisfy(Self.isKey) {
            #expect(row.names.count == 1 && row.cells.count == 6 && row.cells.allSatisfy { !$0.isEmpty }, "\(row)")
            guard let name = row.names.first, row.cells.count > 1 else { continue }
            #expect(row.cells[1] == "`\(variable(of: name))`")
        }
        let names = try rows().flatMap(\.names)
        #expect(names.count == Set(names).count, "no setting has two rows")
    }
}
