import Testing

@Suite("What the command lines write")
struct CommandOutputTests {
    private static let place = "Sources/CommandLine/CommandOutput/StandardOutput.swift"

    @Test("Standard output is written in one place, and JSON by the function that makes it safe on a terminal")
    func onePlace() throws {
        let folders = ["Services/doorstep", "Services/doorstep-admin", "Sources/CommandLine"]
        let files = try Project.files(in: folders).filter { $0.path != Self.place }
        #expect(files.count > 100)
        let otherWriter = /(^|[^\w.])(print|fputs|fwrite|fflush)\(/.overCode
        let json = /writeLine\(.*(decoding:|WireJSON\.encode)/.overCode
        for file in files {
            for line in file.code {
                let isOther = line.text.contains(otherWriter) || line.text.contains("FileHandle.standardOutput")
                #expect(!isOther, "\(file):\(line.number) writes by another function than writeLine")
                let isJSON = line.text.contains(json)
                #expect(!isJSON, "\(file):\(line.number) writes JSON by another function than writeJSON")
            }
        }
    }

    @Test("Commands take --json by one option group")
    func oneGroup() throws {
        let json = /\bvar json\b/.overCode
        let declaring = try Project.files(in: ["Services/doorstep", "Services/doorstep-admin", "Sources/CommandLine"])
            .filter { file in file.code.contains { $0.text.contains(json) } }
        #expect(declaring.map(\.path) == ["Sources/CommandLine/CommandOutput/OutputOptions.swift"])
    }
}
