import Foundation
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("The private stack")
    struct PrivateStackScenario {
        @Test("It gives no service the owner's password, shuts what no service needs, and its logs are its owner's")
        func secrets() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "stack-\(UUID().uuidString)").path
            let script = ProcessStack.root.appending(path: "Infra/local/stack").path
            let (up, output) = try await ChildProcess.run(script, ["up", folder])
            try await withTeardown({
                let (down, _) = try await ChildProcess.run(script, ["down", folder])
                #expect(down == .code(0))
            }) {
                #expect(up == .code(0), "\(output)")
                try await check(folder)
                try await checkStop(folder, by: script)
            }
        }

        private static let services = ["orders", "courier-eta", "activity-dispatch", "partners", "desk"]

        /// Its services are stopped and started again; its database and its keys stay.
        private func checkStop(_ folder: String, by script: String) async throws {
            let everything = Set(Self.services + ["nats", "postgres"])
            #expect(try running(folder) == everything)
            let (one, _) = try await ChildProcess.run(script, ["stop", folder, "partners"])
            #expect(one == .code(0))
            #expect(try running(folder) == everything.subtracting(["partners"]))
            let (unknown, text) = try await ChildProcess.run(script, ["stop", folder, "postgres"])
            #expect(unknown == .code(2), "\(text)")
            let (all, _) = try await ChildProcess.run(script, ["stop", folder])
            #expect(all == .code(0))
            #expect(try running(folder) == ["nats", "postgres"])
            for file in ["secrets/pin-keys", "secrets/keys.json", "stack.env"] {
                #expect(FileManager.default.fileExists(atPath: "\(folder)/\(file)"), "\(file)")
            }
            let (second, refusal) = try await ChildProcess.run(script, ["up", folder])
            #expect(second == .code(5))
            #expect(refusal.contains("start \(folder) starts what has stopped"), "\(refusal)")
            #expect(refusal.contains("down \(folder) removes it with its data"), "\(refusal)")
            let (started, output) = try await ChildProcess.run(script, ["start", folder])
            #expect(started == .code(0), "\(output)")
            #expect(try running(folder) == everything)
        }

        /// The names of the stack's processes that run; a process that has ended is none, also before it is waited for.
        private func running(_ folder: String) throws -> Set<String> {
            let lines = try String(contentsOfFile: "\(folder)/pids", encoding: .utf8).split(separator: "\n")
            return Set(
                lines.map { $0.split(separator: " ") }.filter { process in
                    // A process that is gone has no such file.
                    let state = try? String(contentsOfFile: "/proc/\(process[1])/stat", encoding: .utf8)
                    return state.map { !$0.contains(") Z") } ?? false
                }.map { String($0[0]) })
        }

        private func check(_ folder: String) async throws {
            func text(_ file: String) throws -> String {
                try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            }
            let owner = try text("secrets/database")
            let processes = try text("pids").split(separator: "\n").map { $0.split(separator: " ") }
            #expect(processes.count == 7)
            for process in processes {
                let environment = try Data(contentsOf: URL(filePath: "/proc/\(process[1])/environ"))
                #expect(
                    !environment.isEmpty && !String(decoding: environment, as: UTF8.self).contains(owner),
                    "\(process[0])")
            }
            for part in ["logs", "secrets"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(part)")
                #expect(attributes[.posixPermissions] as? Int == 0o700, "\(part)")
            }
            let url = try #require(try text("stack.env").split(separator: "\n").first { $0.hasPrefix("DATABASE_URL=") })
            let port = try #require(URLComponents(string: String(url.dropFirst("DATABASE_URL=".count)))?.port)
            let psql = "\(try await PostgresTools.find().binaries)/psql"
            for (database, isOpen) in [("doorstep", true), ("postgres", false), ("template1", false)] {
                let (exit, answer) = try await ChildProcess.run(
                    psql, ["-X", "-h", "127.0.0.1", "-p", "\(port)", "-U", "orders", "-d", database, "-c", "SELECT 1"],
                    environment: ["PGPASSWORD": try text("secrets/orders")])
                #expect((exit == .code(0)) == isOpen, "\(database): \(answer)")
            }
            let claims = try #require(try text("secrets/store.token").split(separator: ".").dropFirst().first)
                .replacing("-", with: "+").replacing("_", with: "/")
            let padded = String(claims) + String(repeating: "=", count: (4 - claims.count % 4) % 4)
            let token = try JSONDecoder().decode(Scope.self, from: try #require(Data(base64Encoded: padded)))
            #expect(token.store == "nordhavn")
        }

        private struct Scope: Decodable {
            let store: String?
        }
    }
}
