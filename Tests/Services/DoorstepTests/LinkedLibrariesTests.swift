import Foundation
import TestSupport
import Testing

@Suite("What the people's command line needs to be installed", .timeLimit(.minutes(5)))
struct LinkedLibrariesTests {
    private static let unwanted = ["libpq", "libnats", "libxml2", "libcurl"]

    @Test("doorstep is linked with neither libpq nor libnats; doorstep-admin is")
    func linked() async throws {
        let libraries = try await self.libraries(of: "doorstep")
        #expect(libraries.contains("libc.so"))
        for library in Self.unwanted { #expect(!libraries.contains(library), "\(library)") }
        let admin = try await self.libraries(of: "doorstep-admin")
        #expect(admin.contains("libpq.so") && admin.contains("libnats.so"))
    }

    private func libraries(of program: String) async throws -> String {
        let (exit, output) = try await ChildProcess.run(
            "ldd", [try Executables.path(of: program).path], environment: ["PATH": "/usr/bin:/bin"])
        #expect(exit == .code(0), "\(output)")
        return output
    }

    private struct Manifest: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                /// The name, then a condition or nil.
                let byName: [String?]?
            }
            let name: String
            let dependencies: [Dependency]
        }
        let targets: [Target]
    }

    @Test("No target that doorstep is built from, however indirectly, is PostgresClient or NatsClient")
    func dependencies() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        // A scratch folder of its own, since the one of the build may be locked by whoever runs the tests.
        let (exit, output) = try await ChildProcess.run(
            "swift",
            ["package", "--package-path", Executables.root.path, "--scratch-path", scratch.path, "dump-package"],
            environment: ProcessInfo.processInfo.environment)
        #expect(exit == .code(0))
        let start = try #require(output.firstIndex(of: "{"))
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(output[start...].utf8))
        let dependencies = Dictionary(
            uniqueKeysWithValues: manifest.targets.map { target in
                (target.name, target.dependencies.compactMap { $0.byName?.first ?? nil })
            })
        let needed = Self.closure(of: "Doorstep", in: dependencies)
        #expect(needed.contains("StackClient"))
        for target in ["PostgresClient", "NatsClient", "CPostgres", "CNats"] { #expect(!needed.contains(target)) }
        #expect(Self.closure(of: "DoorstepAdmin", in: dependencies).isSuperset(of: ["CPostgres", "CNats"]))
    }

    private static func closure(of target: String, in dependencies: [String: [String]]) -> Set<String> {
        var found: Set<String> = []
        var next = [target]
        while let name = next.popLast() {
            if found.insert(name).inserted { next += dependencies[name] ?? [] }
        }
        return found
    }
}
