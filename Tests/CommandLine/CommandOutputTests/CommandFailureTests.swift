import Testing

@testable import CommandOutput

@Suite("Failures of commands")
struct CommandFailureTests {
    @Test(
        "Each answer of a service has its exit code",
        arguments: [
            (200, nil), (204, nil), (302, .unavailable), (303, .unavailable), (308, .unavailable),
            (401, .notAllowed), (403, .notAllowed), (404, .notFound), (409, .conflict), (412, .conflict),
            (422, .conflict), (429, .unavailable), (500, .unavailable), (503, .unavailable),
        ] as [(Int, CommandFailure.Kind?)])
    func exitCodes(status: Int, kind: CommandFailure.Kind?) {
        #expect(CommandFailure.kind(ofStatus: status) == kind)
    }

    @Test("What others named cannot steer the terminal")
    func safeText() {
        #expect(
            "Nord\u{1B}[2Jhavn\u{202E}\r\n".safeOnTerminal.unicodeScalars.allSatisfy {
                $0.value >= 32 && $0.value != 0x202E
            })
        #expect("Ærø · 渋谷".safeOnTerminal == "Ærø · 渋谷")
    }

    @Test("After a failure the other items are tried, and the first failure's code is the command's")
    func forEach() async throws {
        var tried: [Int] = []
        let failure = await #expect(throws: CommandFailure.self) {
            try await forEachReportingFailures([1, 2, 3]) { item in
                tried.append(item)
                if item > 1 { throw CommandFailure(item == 2 ? .conflict : .notFound, "no \(item)") }
            }
        }
        #expect(tried == [1, 2, 3] && failure?.kind == .conflict)
    }
}
