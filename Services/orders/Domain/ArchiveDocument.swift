import Messages

/// An archive as one JSON object, as `docs/privacy/export.schema.json` describes it: a record a line.
struct ArchiveDocument: ArchiveFormat {
    static let schemaURL = "https://doorstep.dev/schemas/export-1.json"

    private let person: RequestedPerson
    let contentType = "application/json"
    let fileExtension = "json"
    private var isFirst = true
    private var section = ArchiveSection.person

    init(of person: RequestedPerson) { self.person = person }

    var beginning: String { "{\"$schema\":\"\(Self.schemaURL)\",\"schema\":1,\n" }

    mutating func begin(_ section: ArchiveSection) -> String {
        self.section = section
        isFirst = true
        return "\"\(section.rawValue)\":" + (section == .person ? "" : "[")
    }

    mutating func text(of record: String) -> String {
        defer { isFirst = false }
        return section == .person ? record : (isFirst ? "\n" : ",\n") + record
    }

    mutating func end(_ section: ArchiveSection) -> String { section == .person ? ",\n" : "],\n" }

    var end: String {
        let leftOut = person.leftOut.map { "\n\"\($0)\"" }.joined(separator: ",")
        return "\"leftOut\":[\(leftOut)]}\n"
    }
}
