import Foundation
import Testing

@Suite("The shape of a service")
struct ServiceRoomsTests {
    static let services = ["orders", "courier-eta", "activity-dispatch", "desk", "partners"]
    static let rooms: Set = ["HTTP", "Messaging", "UseCases", "Domain", "Storage", "Background"]

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

    @Test("SQL is in Storage and nowhere else in a service", arguments: services)
    func statements(service: String) throws {
        let statement =
            /\b(SELECT .+ FROM|SELECT FROM|INSERT INTO|UPDATE [a-z_]+ SET|DELETE FROM|CREATE TABLE|ALTER TABLE|FOR UPDATE)\b/
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
