import Foundation
import Synchronization

/// One file of the project, as text.
struct SourceFile: Sendable, CustomStringConvertible {
    /// From the project's folder.
    let path: String
    let lines: [Substring]
    /// What it imports, however visibly.
    let imports: Set<String>
    /// Lines of code with their numbers, comments left out.
    let code: [(number: Int, text: String)]

    init(path: String, text: String) {
        self.path = path
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
        imports = Set(lines.compactMap(Self.imported))
        code = lines.enumerated().filter { !$0.element.unindented.utf8.starts(with: "//".utf8) }
            .map { ($0.offset + 1, String($0.element)) }
    }

    var description: String { path }

    /// The folder that makes it part of a module: `Sources/Domain/OrderDomain`, `Services/orders`,
    /// `Packages/LiveActivity/Sources/LiveActivity`.
    var module: String {
        let parts = path.split(separator: "/")
        let count =
            switch parts.first {
            case "Services": 2
            case "Packages": 4
            default: 3
            }
        return parts.prefix(count).joined(separator: "/")
    }

    private static func imported(by line: Substring) -> String? {
        guard line.unindented.utf8.first.map("@fip".utf8.contains) ?? false else { return nil }
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy(isModifier),
            words.indices.contains(index + 1)
        else { return nil }
        return String(words[index + 1])
    }

    private static func isModifier(_ word: Substring) -> Bool {
        ["public", "package", "internal", "fileprivate", "private", "@testable", "@preconcurrency"].contains(word)
    }
}

/// The project as its sources are on the disk.
enum Project {
    /// Three above this file.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let services = [
        "Services/orders", "Services/courier-eta", "Services/activity-dispatch", "Services/desk", "Services/partners",
        "Services/doorstep", "Services/doorstep-admin",
    ]
    /// The modules that the services' folders make.
    static let serviceModules: Set<String> = [
        "Orders", "CourierETA", "ActivityDispatch", "Desk", "Partners", "Doorstep", "DoorstepAdmin",
    ]
    /// The folders of `Sources`, from the bottom up: what a module may import of ours lies in its own layer or below.
    static let layers = ["Base", "Domain", "Contracts", "Presentation", "Clients", "Runtime", "CommandLine"]

    /// The packages that an app can take without the services; their modules lie below every layer.
    static let packages = ["LiveActivity"]

    /// The modules of a package, by the names of its folders.
    static func modules(ofPackage name: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Packages/\(name)/Sources").path))
    }

    /// The modules of a layer, by the names of its folders.
    static func modules(in layer: String) throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources/\(layer)").path)
        return Set(names)
    }

    /// What every layer may use.
    static func baseModules() throws -> Set<String> { try modules(in: "Base").union(["DirectJSON"]) }

    /// What is hard, kept free of I/O and of time.
    static func pureModules() throws -> Set<String> {
        try ["Domain", "Contracts", "Presentation"].reduce(into: ["LiveActivity"]) {
            try $0.formUnion(modules(in: $1))
        }
    }

    /// Every module of ours: what a layer may not import is named from these.
    static func modules() throws -> Set<String> {
        let inLayers = try layers.reduce(into: serviceModules.union(["TestSupport"])) {
            try $0.formUnion(modules(in: $1))
        }
        return try packages.reduce(into: inLayers) { try $0.formUnion(modules(ofPackage: $1)) }
    }

    /// The folder of a library.
    static func folder(of library: String) throws -> String {
        for layer in layers where try modules(in: layer).contains(library) { return "Sources/\(layer)/\(library)" }
        for package in packages where try modules(ofPackage: package).contains(library) {
            return "Packages/\(package)/Sources/\(library)"
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// The files below these folders with this ending, in the order of their paths.
    static func files(in folders: [String], ending: String = "swift") throws -> [SourceFile] {
        try folders.flatMap { folder in
            let place = root.appending(path: folder)
            let names = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
            return try names.filter { $0.hasSuffix("." + ending) && !$0.contains(".build/") }.sorted()
                .map { try file("\(folder)/\($0)") }
        }
    }

    private static func file(_ path: String) throws -> SourceFile {
        if let known = known.withLock({ $0[path] }) { return known }
        let file = SourceFile(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        known.withLock { $0[path] = file }
        return file
    }

    /// Files by path: several tests read all of them, and files stand while tests run.
    private static let known = Mutex<[String: SourceFile]>([:])

    static let own = ["Packages", "Sources", "Services"]
}

extension Substring {
    /// The line without the spaces at its start.
    var unindented: Substring { Substring(utf8.drop { $0 == UInt8(ascii: " ") }) }
}

extension Regex {
    /// The expression over code: its letters and the bounds of its words are those of ASCII.
    ///
    /// Unicode's rules for characters and words cost most of a search through all sources.
    var overCode: Self { asciiOnlyCharacterClasses().wordBoundaryKind(.simple).matchingSemantics(.unicodeScalar) }
}
