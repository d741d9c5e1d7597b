import Foundation
import Testing

@Suite("Discarded errors")
struct DiscardedErrorsTests {
    @Test("A comment at each discarded error gives the reason")
    func reasons() throws {
        var count = 0
        for file in try Project.files(in: Project.own) {
            for one in file.discardedErrors {
                count += 1
                #expect(one.hasReason, "\(file):\(one.number): no comment with a reason: \(one.text)")
            }
        }
        #expect(count > 150)
    }

    @Test(
        "A reason stands on the line, above its statement, or above an adjacent discarded error",
        arguments: [
            ("try? close()  // A closed file has no reader.", [true]),
            ("// A closed file has no reader.\ntry? close()\ntry? remove()", [true, true]),
            ("// A closed file has no reader.\nguard isOpen,\n    let text = try? read()\nelse { return }", [true]),
            ("// Text is not a number.\nif let a = try? b() {\n    c()\n} else if let d = try? e() {", [true, true]),
            ("// A task of its own ends early.\ngroup.addTask {\n    try? await sleep()\n}", [true]),
        ])
    func explained(text: String, expected: [Bool]) {
        #expect(SourceFile(text).discardedErrors.map { $0.hasReason } == expected)
    }

    @Test(
        "A comment about something else gives no reason",
        arguments: [
            "try? close()", "// Later.\ntry? close()", "// MARK: Closing the open files\ntry? close()",
            "/// Closes the file at its end.\ntry? close()", "// A closed file has no reader.\n\ntry? close()",
            "// A closed file has no reader.\nopen()\ntry? close()",
            "// A closed file has no reader.\nfunc close() {\n    try? remove()\n}",
        ])
    func unexplained(text: String) {
        #expect(SourceFile(text).discardedErrors.map { $0.hasReason } == [false])
    }
}

extension SourceFile {
    /// The most lines between a discarded error and its comment, or the discarded error that shares the comment.
    private static let linesMax = 4
    /// The fewest words of a reason.
    private static let wordsMin = 4

    fileprivate init(_ text: String) {
        self.init(path: "", text: text)
    }

    /// The lines that discard an error, with and without a comment that gives the reason.
    fileprivate var discardedErrors: [(number: Int, text: String, hasReason: Bool)] {
        let discarding = /\btry\?/.overCode
        var explained: Set<Int> = []
        var found: [(number: Int, text: String, hasReason: Bool)] = []
        for (number, text) in code where text.contains("try?") && text.contains(discarding) {
            let hasReason =
                text.contains(/try\?.*\s\/\/ \S+ \S+ \S+/.overCode) || isExplained(number, sharing: explained)
            if hasReason { explained.insert(number) }
            found.append((number, text, hasReason))
        }
        return found
    }

    private func isExplained(_ number: Int, sharing explained: Set<Int>) -> Bool {
        for above in (max(1, number - Self.linesMax)..<number).reversed() {
            let text = unindented(above)
            if text.isEmpty { return false }
            if explained.contains(above) { return above == number - 1 || isOneStatement(above...number) }
            if text.hasPrefix("// ") { return isReason(endingAt: above) && isOneStatement((above + 1)...number) }
        }
        return false
    }

    private func isReason(endingAt last: Int) -> Bool {
        var words: [Substring] = []
        for number in (1...last).reversed() {
            let text = unindented(number)
            guard text.hasPrefix("// ") else { break }
            words = Array(text.split(separator: " ").dropFirst()) + words
        }
        return words.count >= Self.wordsMin && words.first != "MARK:"
    }

    /// Whether each line continues the first one: indented deeper, or after a closing bracket.
    private func isOneStatement(_ numbers: ClosedRange<Int>) -> Bool {
        let first = lines[numbers.lowerBound - 1]
        let declaration = /\b(func|init|subscript|extension|struct|class|enum)\b.*\{$|\bvar\b[^=]*\{$/.overCode
        if numbers.count > 1, first.contains(declaration) { return false }
        return numbers.dropFirst().allSatisfy { number in
            let depth = indentation(number) - indentation(numbers.lowerBound)
            let text = unindented(number)
            return depth > 0 || depth == 0 && ["}", ")", "]", "else"].contains { text.hasPrefix($0) }
        }
    }

    private func unindented(_ number: Int) -> Substring { lines[number - 1].unindented }

    private func indentation(_ number: Int) -> Int { lines[number - 1].count - unindented(number).count }
}
