import Foundation
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    @Suite("The private stack")
    struct PrivateStackScenario {
        @Test("It gives no service the owner's password, shuts what no service needs, and its logs are its owner's")
        func secrets() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "stack \(UUID().uuidString)").path
            let script = ProcessStack.root.appending(path: "Infra/local/stack").path
            let (up, output) = try await ChildProcess.run(script, ["up", folder])
            try await withTeardown({
                let (down, _) = try await ChildProcess.run(script, ["down", folder])
                #expect(down == .code(0))
            }) {
                #expect(up == .code(0), "\(output)")
                try await checkSettings(folder)
                try await check(folder)
                try await checkStop(folder, by: script)
                try await checkRestart(folder, by: script)
                try await checkOthers(folder, by: script)
            }
        }

        @Test("Secrets of containers stay as they are, and containers get none of a private stack")
        func containers() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "stack-\(UUID().uuidString)")
            let secrets = folder.appending(path: "secrets")
            try FileManager.default.createDirectory(at: secrets, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.
            let key = Data("1:key".utf8)
            try key.write(to: secrets.appending(path: "pin-keys"))
            func expect(_ script: String, _ arguments: [String], endsWith code: Int32) async throws {
                let (exit, output) = try await ChildProcess.run(
                    ProcessStack.root.appending(path: script).path, arguments)
                #expect(exit == .code(code), "\(output)")
                let left = try Data(contentsOf: secrets.appending(path: "pin-keys"))
                #expect(left == key, "\(script) \(arguments)")
            }
            try await expect("Infra/local/stack", ["down", folder.path], endsWith: 0)
            try await expect("Infra/local/stack", ["up", folder.path], endsWith: 5)
            for file in ["pids", "data", "secrets/database"] { try Data().write(to: folder.appending(path: file)) }
            try await expect("Infra/docker/secrets", [secrets.path], endsWith: 5)
            // Secrets that containers got of a stack, from a version that did not refuse it.
            try Data().write(to: secrets.appending(path: "nats-cluster"))
            try await expect("Infra/local/stack", ["down", folder.path], endsWith: 0)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "pids").path))
        }

        @Test("What removes everything that was built leaves a private stack as it is")
        func cleaning() async throws {
            let (exit, commands) = try await ChildProcess.run(
                "make", ["--dry-run", "-C", ProcessStack.root.path, "clean"])
            #expect(exit == .code(0) && commands.contains(".build"), "\(commands)")
            #expect(!commands.contains("stack down"), "\(commands)")
        }

        private static let services = ["orders", "courier-eta", "activity-dispatch", "partners", "desk"]

        /// A shell reads the settings of a folder with a blank in its name.
        private func checkSettings(_ folder: String) async throws {
            let command = #"set -a; . "$1/stack.env"; printf %s "$DOORSTEP_STORE_TOKEN_FILE""#
            let (exit, file) = try await ChildProcess.run("bash", ["-c", command, "bash", folder])
            #expect(exit == .code(0) && file == "\(folder)/secrets/store.token", "\(file)")
        }

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

        /// Its database and its broker are started again too, as after a restart of the system, with their data.
        private func checkRestart(_ folder: String, by script: String) async throws {
            for (name, signal) in [("nats", SIGKILL), ("postgres", SIGINT)] {
                let process = try #require(try processes(folder).first { $0.name == name })
                kill(try #require(pid_t(process.id)), signal)
                try await eventually("\(name) has ended") { !runs(process.id) }
            }
            let (started, output) = try await ChildProcess.run(script, ["start", folder])
            #expect(started == .code(0), "\(output)")
            #expect(try running(folder) == Set(Self.services + ["nats", "postgres"]))
            let settings = try String(contentsOfFile: "\(folder)/stack.env", encoding: .utf8)
            let database = try #require(settings.split(separator: "\n").first { $0.hasPrefix("DATABASE_URL=") })
            let psql = "\(try await PostgresTools.find().binaries)/psql"
            try await eventually("Postgres answers with the services' tables") {
                let (exit, _) = try await ChildProcess.run(
                    psql,
                    ["-X", "-c", "SELECT FROM orders.deliveries", String(database.dropFirst("DATABASE_URL=".count))])
                return exit == .code(0)
            }
        }

        /// A process with a number that one of the stack had before is another's, and is left alone.
        private func checkOthers(_ folder: String, by script: String) async throws {
            let other = try ChildProcess("sleep", ["3600"])
            try await withTeardown({ await other.kill9() }) {
                let kept = try String(contentsOfFile: "\(folder)/pids", encoding: .utf8)
                func list(_ line: String) throws {
                    try Data((kept + line + "\n").utf8).write(to: URL(filePath: "\(folder)/pids"))
                }
                // Without a start, as a former version wrote it, it may be either.
                try list("orders \(other.processID)")
                for command in ["stop", "start", "down"] {
                    let (exit, refusal) = try await ChildProcess.run(script, [command, folder])
                    #expect(
                        exit == .code(5) && refusal.contains("no start of process \(other.processID)"), "\(refusal)")
                }
                try list("orders \(other.processID) 1")
                let (stopped, _) = try await ChildProcess.run(script, ["stop", folder, "orders"])
                #expect(stopped == .code(0))
                #expect(runs("\(other.processID)"))
                let (started, _) = try await ChildProcess.run(script, ["start", folder])
                #expect(started == .code(0))
                #expect(try processes(folder).filter { $0.name == "orders" }.count == 1)
                #expect(try running(folder) == Set(Self.services + ["nats", "postgres"]))
                #expect(runs("\(other.processID)"))
            }
        }

        /// The stack's list of its processes.
        private func processes(_ folder: String) throws -> [(name: String, id: String)] {
            try String(contentsOfFile: "\(folder)/pids", encoding: .utf8).split(separator: "\n")
                .map { $0.split(separator: " ") }.map { (name: String($0[0]), id: String($0[1])) }
        }

        /// Whether a process runs; one that has ended does not, also before it is waited for.
        private func runs(_ id: String) -> Bool {
            // A process that is gone has no such file.
            let state = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
            return state.map { !$0.contains(") Z") } ?? false
        }

        /// The names of the stack's processes that run.
        private func running(_ folder: String) throws -> Set<String> {
            Set(try processes(folder).filter { runs($0.id) }.map { $0.name })
        }

        private func check(_ folder: String) async throws {
            func text(_ file: String) throws -> String {
                try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            }
            let owner = try text("secrets/database")
            let processes = try self.processes(folder)
            #expect(processes.count == 7)
            for process in processes {
                let environment = try Data(contentsOf: URL(filePath: "/proc/\(process.id)/environ"))
                #expect(
                    !environment.isEmpty && !String(decoding: environment, as: UTF8.self).contains(owner),
                    "\(process.name)")
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
