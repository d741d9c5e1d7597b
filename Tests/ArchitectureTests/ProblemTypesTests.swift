import Foundation
import Testing

@Suite("Problem types")
struct ProblemTypesTests {
    /// Types that no operation has, since every path could answer with them.
    private static let ofEveryPath = ["internal 500", "method-not-allowed 405"]

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
}
