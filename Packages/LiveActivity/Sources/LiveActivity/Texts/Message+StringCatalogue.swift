/// A message in the formats that Xcode keeps an app's strings in.
extension Message {
    /// The text with a placeholder for each argument; nil where one must be written in a language's way first.
    ///
    /// - Parameter placeholder: the placeholder for the value of a name, such as `%1$@`.
    func stringsFormat(_ placeholder: (String) -> String) -> String? {
        var format = ""
        for part in parts {
            switch part {
            case .literal(let words): format += words.replacing("%", with: "%%")
            case .value(let name): format += placeholder(name)
            case .number, .time, .date, .duration, .amount, .plural, .select: return nil
            }
        }
        return format
    }

    /// The text with every optional part, in the form of a string catalogue.
    ///
    /// - Parameter names: of the values, in the order in which an app gives them.
    func catalogueText(_ names: [String], in catalogue: TextCatalogue) -> CatalogueText {
        var counts: [CatalogueText.Count] = []
        let format = Self.catalogueFormat(parts, names, catalogue, &counts)
        return CatalogueText(format: format, counts: counts)
    }

    private static func catalogueFormat(
        _ parts: [Part], _ names: [String], _ catalogue: TextCatalogue, _ counts: inout [CatalogueText.Count]
    ) -> String {
        func position(_ name: String) -> Int { (names.firstIndex(of: name) ?? 0) + 1 }
        func placeholder(_ name: String) -> String { catalogue.direction.isolated("%\(position(name))$@") }
        return parts.reduce(into: "") { format, part in
            switch part {
            case .literal(let words): format += words.replacing("%", with: "%%")
            case .number: format += "%arg"
            case .value(let name), .date(let name), .duration(let name), .amount(let name), .time(let name, false):
                format += placeholder(name)
            case .time(let name, true): format += catalogue("format.time_in_sentence", ["clock": placeholder(name)])
            case .plural(let name, let branches):
                let forms = branches.mapValues { catalogueFormat($0, names, catalogue, &counts) }
                counts.append(.init(name: name, position: position(name), forms: forms))
                format += "%#@\(name)@"
            case .select(_, let branches):
                format += catalogueFormat(branches["other"] ?? [], names, catalogue, &counts)
            }
        }
    }
}
