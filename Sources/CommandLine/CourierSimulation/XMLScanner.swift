/// Reads the elements of an XML 1.0 document, one event at a time.
///
/// It checks that elements nest and end, resolves the five predefined entities and character references, and skips
/// comments, processing instructions and the XML declaration. A document type declaration is refused: no file can
/// define an entity, or make the reader fetch or expand one. Names keep their namespace prefix.
struct XMLScanner {
    enum Event: Hashable, Sendable {
        case start(name: String, attributes: [String: String])
        case end(name: String)
        /// Text or a CDATA section; the text between two tags may arrive in several pieces.
        case text(String)
    }

    /// A syntax error, with its line.
    struct Fault: Error, Equatable, CustomStringConvertible {
        /// Counted from 1.
        let line: Int
        let problem: String

        var description: String { "line \(line): \(problem)" }
    }

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element that was written as `<name/>`.
    private var pendingEnd: String?

    /// - Parameter text: the whole document, decoded.
    init(_ text: String) {
        // Line breaks are read as LF (section 2.11).
        let normalized = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        scalars = Array(normalized.unicodeScalars.drop { $0 == "\u{FEFF}" })
    }

    /// The next event; nil at the end of the document.
    mutating func next() throws(Fault) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name: name)
        }
        while index < scalars.count {
            guard scalars[index] == "<" else {
                let text = try resolved(consume { $0 != "<" })
                if !open.isEmpty { return .text(text) }
                guard text.unicodeScalars.allSatisfy(Self.isSpace) else { throw fault("text outside of the root") }
                continue
            }
            if skip("<!--") {
                try skip(through: "-->", of: "a comment")
            } else if skip("<?") {
                try skip(through: "?>", of: "a processing instruction")
            } else if skip("<![CDATA[") {
                guard !open.isEmpty else { throw fault("text outside of the root") }
                return .text(try skip(through: "]]>", of: "a CDATA section"))
            } else if skip("</") {
                return try endTag()
            } else if skip("<!") {
                throw fault("a document type declaration is not read")
            } else {
                index += 1
                return try startTag()
            }
        }
        if let name = open.last { throw fault("<\(name)> does not end") }
        guard hasRoot else { throw fault("there is no element") }
        return nil
    }

    // MARK: Tags

    private mutating func startTag() throws(Fault) -> Event {
        let name = try name()
        guard !open.isEmpty || !hasRoot else { throw fault("a second root, <\(name)>") }
        hasRoot = true
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = !consume(while: Self.isSpace).isEmpty
            if skip("/>") {
                pendingEnd = name
                return .start(name: name, attributes: attributes)
            }
            if skip(">") {
                open.append(name)
                return .start(name: name, attributes: attributes)
            }
            guard hadSpace else { throw fault("<\(name) does not end") }
            let (attribute, value) = try attribute(of: name)
            guard attributes.updateValue(value, forKey: attribute) == nil else {
                throw fault("<\(name)> has \(attribute) twice")
            }
        }
    }

    private mutating func attribute(of element: String) throws(Fault) -> (name: String, value: String) {
        let name = try name()
        _ = consume(while: Self.isSpace)
        guard skip("=") else { throw fault("\(name) of <\(element)> has no value") }
        _ = consume(while: Self.isSpace)
        guard index < scalars.count, scalars[index] == "\"" || scalars[index] == "'" else {
            throw fault("\(name) of <\(element)> is not in quotes")
        }
        let quote = scalars[index]
        index += 1
        let value = consume { $0 != quote && $0 != "<" }
        guard index < scalars.count, scalars[index] == quote else {
            throw fault("\(name) of <\(element)> does not end")
        }
        index += 1
        // White space in a value counts as spaces (XML 1.0 section 3.3.3).
        return (name, try resolved(value.map { Self.isSpace($0) ? " " : $0 }))
    }

    private mutating func endTag() throws(Fault) -> Event {
        let name = try name()
        _ = consume(while: Self.isSpace)
        guard skip(">") else { throw fault("</\(name) does not end") }
        guard open.popLast() == name else { throw fault("</\(name)> ends what did not begin") }
        return .end(name: name)
    }

    private mutating func name() throws(Fault) -> String {
        let name = consume { !Self.isSpace($0) && !"/>=<\"'&".unicodeScalars.contains($0) }
        guard let first = name.first, first.properties.isAlphabetic || first == "_" || first == ":" else {
            throw fault("a name is missing")
        }
        return Self.text(name)
    }

    // MARK: Text

    /// The text with its references replaced (XML 1.0 sections 4.1 and 4.6).
    private func resolved(_ piece: [Unicode.Scalar]) throws(Fault) -> String {
        guard piece.contains("&") else { return Self.text(piece) }
        var result = String.UnicodeScalarView()
        var rest = piece[...]
        while let next = rest.popFirst() {
            guard next == "&" else {
                result.append(next)
                continue
            }
            guard let end = rest.firstIndex(of: ";") else { throw fault("& without a reference") }
            let name = Self.text(rest[..<end])
            guard let scalar = Self.scalar(named: name) else { throw fault("no character &\(name);") }
            result.append(scalar)
            rest = rest[(end + 1)...]
        }
        return String(result)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": "<"
        case "gt": ">"
        case "amp": "&"
        case "quot": "\""
        case "apos": "'"
        case _ where name.hasPrefix("#x"): character(UInt32(name.dropFirst(2), radix: 16))
        case _ where name.hasPrefix("#"): character(UInt32(name.dropFirst()))
        default: nil
        }
    }

    /// Nil for an illegal character in XML (section 2.2): most control characters.
    private static func character(_ number: UInt32?) -> Unicode.Scalar? {
        guard let scalar = number.flatMap(Unicode.Scalar.init) else { return nil }
        let isAllowed = scalar.value >= 0x20 ? scalar.value != 0xFFFE && scalar.value != 0xFFFF : isSpace(scalar)
        return isAllowed ? scalar : nil
    }

    // MARK: Scanning

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r"
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private mutating func consume(while condition: (Unicode.Scalar) -> Bool) -> [Unicode.Scalar] {
        let start = index
        while index < scalars.count, condition(scalars[index]) { index += 1 }
        return Array(scalars[start..<index])
    }

    /// Skips `mark` if it comes next.
    private mutating func skip(_ mark: String) -> Bool {
        guard scalars[index...].starts(with: mark.unicodeScalars) else { return false }
        index += mark.unicodeScalars.count
        return true
    }

    /// Skips past `mark` and returns the text before it.
    @discardableResult
    private mutating func skip(through mark: String, of what: String) throws(Fault) -> String {
        let start = index
        while index < scalars.count {
            let end = index
            if skip(mark) { return Self.text(scalars[start..<end]) }
            index += 1
        }
        throw fault("\(what) does not end")
    }

    private func fault(_ problem: String) -> Fault {
        Fault(line: 1 + scalars[..<index].count { $0 == "\n" }, problem: problem)
    }
}
