import Foundation
import Testing

@Suite("The shape of a service")
struct ServiceRoomsTests {
    static let services = ["orders", "courier-eta", "activity-dispatch", "desk", "partners"]
    static let rooms: Set = ["HTTP", "Messaging", "UseCases", "Domain", "Storage", "Background", "Settings"]

    @Test(
        "Every service has the same rooms, and only its composition root and its contract beside them",
        arguments: services)
    func rooms(service: String) throws {
        let folder = Project.root.appending(path: "Services/\(service)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var isFolder: ObjCBool = false
        var folders: Set<String> = []
        var files: Set<String> = []
        for name in names {
            _ = FileManager.default.fileExists(atPath: folder.appending(path: name).path, isDirectory: &isFolder)
            if isFolder.boolValue { folders.insert(name) } else { files.insert(name) }
        }
        #expect(folders == Self.rooms)
        let messaging = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Messaging").path)
        #expect(Set(messaging).isSubset(of: ["In", "Out"]) && !messaging.isEmpty, "\(messaging)")
        #expect(files.count == 2 && files.contains("openapi.yaml"), "\(files.sorted())")
    }

    @Test("Every service answers with its document in docs/openapi, by a link to it", arguments: services)
    func document(service: String) throws {
        let path = Project.root.appending(path: "Services/\(service)/openapi.yaml").path
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        #expect(target == "../../docs/openapi/\(service).yaml", "\(path) is \(target ?? "a copy")")
    }

    @Test(
        "Tests of a service mirror its rooms",
        arguments: ["OrdersTests", "CourierETATests", "ActivityDispatchTests", "DeskTests", "PartnersTests"])
    func tests(target: String) throws {
        let folder = Project.root.appending(path: "Tests/Services/\(target)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let folders = Set(names.filter { !$0.contains(".") })
        #expect(folders.isSubset(of: Self.rooms.union(["Golden", "Support"])), "\(folders.subtracting(Self.rooms))")
        #expect(folders.intersection(Self.rooms).count >= 4)
    }

    @Test("A room names types of lower rooms only", arguments: services)
    func order(service: String) throws {
        let files = try Project.files(in: ["Services/\(service)"]).map { (room: Room(of: $0), file: $0) }
        var roomsByType: [String: Set<Room>] = [:]
        for (room, file) in files {
            guard let room else { continue }
            for type in file.topLevelTypes { roomsByType[type, default: []].insert(room) }
        }
        #expect(Set(roomsByType.values.joined()).count >= 5)
        for (room, file) in files {
            guard let room else { continue }
            for (number, type) in file.namedTypes {
                // A name that two rooms declare may be either.
                guard let target = roomsByType[type], target.count == 1, let other = target.first, other != room else {
                    continue
                }
                #expect(room.mayName(other), "\(file):\(number): \(room.rawValue) names \(type) of \(other.rawValue)")
            }
        }
    }

    @Test("Settings are read in Settings, and by the composition root", arguments: services)
    func settings(service: String) throws {
        for file in try Project.files(in: ["Services/\(service)"]) where Room(of: file) != .settings {
            let isRoot = file.path.split(separator: "/").count == 3
            #expect(isRoot || !file.imports.contains("Configuration"), "\(file) reads settings")
        }
    }

    @Test("SQL is in Storage and nowhere else in a service", arguments: services)
    func statements(service: String) throws {
        let statement =
            /\b(SELECT .+ FROM|SELECT FROM|INSERT INTO|UPDATE [a-z_]+ SET|DELETE FROM|CREATE TABLE|ALTER TABLE|FOR (NO KEY )?UPDATE)\b/
            .overCode
        for file in try Project.files(in: ["Services/\(service)"])
        where !file.path.hasPrefix("Services/\(service)/Storage/") {
            #expect(
                !file.imports.contains("PostgresClient") || file.code.allSatisfy { !$0.text.contains(": SQL") },
                "\(file)")
            for (number, text) in file.code {
                #expect(text.firstMatch(of: statement) == nil, "\(file):\(number): \(text)")
            }
        }
        let stored = try Project.files(in: ["Services/\(service)/Storage"])
        #expect(stored.contains { file in file.code.contains { $0.text.firstMatch(of: statement) != nil } })
    }

    /// A lock of a row's key makes each insert or second update of a row that refers to it wait, in any order of locks.
    @Test("The key of a row is locked only to delete the row")
    func keyLocks() throws {
        // It deletes every row of a locked customer, by several statements.
        let deleting: Set = ["Services/activity-dispatch/Storage/ErasureRepository.swift"]
        var found = 0
        for file in try Project.files(in: ["Services", "Sources"]) where !deleting.contains(file.path) {
            let lines = Array(file.code)
            for (index, line) in lines.enumerated() where line.text.contains("FOR UPDATE") {
                found += 1
                let statement = lines[max(0, index - 6)...index]
                #expect(
                    statement.contains { $0.text.contains("DELETE FROM") },
                    "\(file):\(line.number): lock with FOR NO KEY UPDATE")
            }
        }
        #expect(found > 0)
    }

    @Test("Values and rules of a service meet no database, no broker and no HTTP", arguments: services)
    func domain(service: String) throws {
        let world: Set = [
            "PostgresClient", "NatsClient", "ReliableMessaging", "Hummingbird", "ServiceLifecycle", "AsyncHTTPClient",
        ]
        let files = try Project.files(in: ["Services/\(service)/Domain"])
        #expect(!files.isEmpty)
        for file in files {
            #expect(file.imports.isDisjoint(with: world), "\(file) imports \(file.imports.intersection(world))")
        }
    }
}

/// The rooms of a service, from what faces the world to the rules.
private enum Room: String, CaseIterable {
    case http = "HTTP"
    case messagingIn = "Messaging/In"
    case background = "Background"
    case useCases = "UseCases"
    case storage = "Storage"
    case messagingOut = "Messaging/Out"
    case domain = "Domain"
    /// What the composition root alone reads, for any room.
    case settings = "Settings"

    /// Nil for the composition root, which names everything.
    init?(of file: SourceFile) {
        let parts = file.path.split(separator: "/").dropFirst(2).map(String.init)
        let room = Self.allCases.first { parts.starts(with: $0.rawValue.split(separator: "/").map(String.init)) }
        guard let room else { return nil }
        self = room
    }

    /// Requests and messages from outside reach rows and other services by a use case.
    func mayName(_ other: Room) -> Bool {
        switch self {
        case .http, .messagingIn: other == .useCases || other == .domain
        case .background: [.useCases, .storage, .messagingOut, .domain].contains(other)
        case .useCases: [.storage, .messagingOut, .domain].contains(other)
        case .storage, .messagingOut: other == .domain
        case .domain: false
        case .settings: true
        }
    }
}

extension SourceFile {
    /// The types that it declares and that are in no other.
    fileprivate var topLevelTypes: [String] {
        let declaration =
            /^((public|package|internal|private|final|indirect) )*(struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/
            .overCode
        return code.compactMap { line in
            line.text.firstMatch(of: declaration).map { String($0.output.4) }
        }
    }

    /// Every name that begins like a type's, outside of string literals and not as a member of another.
    fileprivate var namedTypes: [(number: Int, type: String)] {
        let (fence, quoted) = (/"""/.overCode, /"(\\.|[^"\\])*"/.overCode)
        let (comment, name) = (/\/\/.*/.overCode, /(^|[^\w.])([A-Z]\w*)/.overCode)
        var isInText = false
        return code.flatMap { number, line -> [(Int, String)] in
            let isOutside = !isInText
            if line.matches(of: fence).count == 1 { isInText.toggle() }
            guard isOutside else { return [] }
            let text = line.replacing(quoted, with: "\"\"").replacing(comment, with: "")
            return text.matches(of: name).map { (number, String($0.output.2)) }
        }
    }
}
