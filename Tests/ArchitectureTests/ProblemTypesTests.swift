import Foundation
import Testing

@Suite("Problem types")
struct ProblemTypesTests {
    /// Types that no operation has, since every path could answer with them.
    private static let ofEveryPath = ["internal 500", "method-not-allowed 405"]

    static let services = ["orders", "courier-eta", "activity-dispatch", "partners", "desk"]

    private func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: Project.root.appending(path: path), encoding: .utf8).split(separator: "\n")
    }

    /// `stale 412` for each type of a document's answers, whose schemas name the types and then their status.
    private func documented(_ service: String) throws -> Set<String> {
        var found: Set<String> = []
        var types: [Substring] = []
        let type = /(?:enum: \[|- )"https:\/\/doorstep\.dev\/problems\/([a-z-]+)"/.overCode
        let number = /status: \{ type: integer, enum: \[(\d+)\] \}/.overCode
        for line in try lines("docs/openapi/\(service).yaml") {
            if let match = line.firstMatch(of: type) {
                types.append(match.1)
            }
            if let status = line.firstMatch(of: number)?.1 {
                found.formUnion(types.map { "\($0) \(status)" })
                types = []
            }
        }
        return found
    }

    @Test("The page of problem types has those of the OpenAPI documents with their statuses, and no other")
    func page() throws {
        let rows = try lines("docs/problems.md").compactMap { $0.firstMatch(of: /^\| `([a-z-]+)` \| (\d+) \|/) }
        let listed = rows.map { "\($0.1) \($0.2)" }
        #expect(Set(listed).count == listed.count)
        let documents = try ["orders", "courier-eta", "activity-dispatch", "partners"].map(documented)
        #expect(documents.allSatisfy { $0.count > 8 })
        let all = documents.reduce(into: Set(Self.ofEveryPath)) { $0.formUnion($1) }
        #expect(all.symmetricDifference(listed) == [])
    }

    @Test("A type has one title, in the code and in the examples of the OpenAPI documents")
    func titles() throws {
        var titles: [String: Set<String>] = [:]
        let made = /Problem\(\s*\.\w+, "([a-z-]+)",\s+title: "([^"]+)"/.overCode
        for file in try Project.files(in: ["Services", "Sources"]) {
            guard file.code.contains(where: { $0.text.contains("Problem(") }) else { continue }
            for match in file.lines.joined(separator: "\n").matches(of: made) {
                titles[String(match.1), default: []].insert(String(match.2))
            }
        }
        #expect(titles.count > 20)
        let shown = /type: "https:\/\/doorstep\.dev\/problems\/([a-z-]+)",?\s+title: "([^"]+)"/.overCode
        for service in Self.services {
            for match in try lines("docs/openapi/\(service).yaml").joined(separator: "\n").matches(of: shown) {
                titles[String(match.1), default: []].insert(String(match.2))
            }
        }
        #expect(titles.count > 50)
        #expect(titles.filter { $0.value.count > 1 } == [:])
    }

    @Test("Every operation with a body may answer that it did not arrive in time", arguments: services)
    func timeOuts(service: String) throws {
        let paths = try YAML.document("docs/openapi/\(service).yaml")["paths"]
        for path in paths.keys {
            for method in paths[path].keys where paths[path][method]["requestBody"].isThere {
                #expect(paths[path][method]["responses"].keys.contains("408"), "\(method) \(path)")
            }
        }
    }
}
