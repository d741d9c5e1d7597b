import Foundation
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    /// The scripts around Compose, without an engine.
    @Suite("The scripts of containers")
    struct ContainerScriptsScenario {
        @Test("Variables of .env are read as Compose reads them")
        func variables() async throws {
            try await withFolder { folder in
                let text = """
                    DOORSTEP_ENVIRONMENT=production
                    DOORSTEP_ENVIRONMENT=demo
                    DOORSTEP_OIDC_SCOPES="openid profile email # groups" # of the desk
                    export DOORSTEP_TLS=1 # proxy\r
                    DOORSTEP_DOCKER=docker
                    DOORSTEP_UP_SECONDS='7'
                    domain=nordhavn.example
                    DOORSTEP_LINKS_ORIGIN=https://go.${domain} # $domain
                    DOORSTEP_DESK_ORIGIN="https://$DOORSTEP_DOCKER.$domain:${DESK_PORT:-443}"
                    DOORSTEP_PARTNERS_ORIGIN=${DOORSTEP_DESK_ORIGIN}/${NONE}$$1
                    DOORSTEP_COURIERS_ORIGIN='https://${domain}'
                    HOSTNAME=first.example
                    HOSTNAME=shop.example
                    UID=1000
                    DOORSTEP_TILES_FILE=/srv/${HOSTNAME}/$UID
                    DOORSTEP_OIDC_CLIENT_ID="the \\"desk\\" \\\\ \\$UID" # of the desk
                    """
                let values = """
                    demo
                    openid profile email # groups
                    1
                    podman
                    7
                    https://go.nordhavn.example
                    https://podman.nordhavn.example:443
                    https://podman.nordhavn.example:443/$1
                    https://${domain}
                    /srv/shop.example/1000
                    the "desk" \\ $UID

                    """
                let (exit, output) = try await Self.read(
                    text, in: folder,
                    variables: [
                        "ENVIRONMENT", "OIDC_SCOPES", "TLS", "DOCKER", "UP_SECONDS", "LINKS_ORIGIN", "DESK_ORIGIN",
                        "PARTNERS_ORIGIN", "COURIERS_ORIGIN", "TILES_FILE", "OIDC_CLIENT_ID",
                    ])
                #expect(exit == .code(0))
                #expect(output == values)
            }
        }

        @Test(
            "A reference of .env that is not read as Compose reads it is refused by its variable's name",
            arguments: ["${DOORSTEP_TLS:?none}", "\"${DOORSTEP_TLS:-$DOORSTEP_TAG}\"", "a${DOORSTEP_TLS"])
        func unread(value: String) async throws {
            try await withFolder { folder in
                let (exit, output) = try await Self.read("DOORSTEP_DOCKER=\(value)", in: folder, variables: [])
                #expect(exit == .code(0), "of a variable that is set already nothing is read")
                #expect(output.isEmpty)
                let refused = try await Self.read("DOORSTEP_TAG=\(value)", in: folder, variables: [])
                #expect(refused.exit == .code(2))
                #expect(refused.output.hasPrefix("dotenv: DOORSTEP_TAG in .env"), "\(refused.output)")
            }
        }

        @Test("Secrets are made where .env says, by the image that it says, and it stays as it is but for its end")
        func secrets() async throws {
            try await withFolder { folder in
                let text = """
                    export COMPOSE_PROJECT_NAME=shop
                    DOORSTEP_TAG = 7
                    DOORSTEP_SECRETS=./kept
                    DOORSTEP_PERSONS_SEALED='false'
                    """
                #expect(try await Self.makeSecrets(in: folder, text) == text + "\n")
                #expect(try Self.calls(in: folder).first == "image inspect doorstep/doorstep:7")
                let made = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept")
                #expect(made.contains("database") && made.contains("operator.token"), "\(made)")
                #expect(!FileManager.default.fileExists(atPath: "\(folder)/.doorstep"))
            }
        }

        @Test("A .env without the variables of Compose gets them, in lines of their own")
        func newSecrets() async throws {
            try await withFolder { folder in
                let text = """
                    DOORSTEP_ENVIRONMENT=demo
                    DOORSTEP_SECRETS=./.doorstep/secrets
                    COMPOSE_PROJECT_NAME=doorstep
                    DOORSTEP_PERSONS_SEALED=true

                    """
                let made = try await Self.makeSecrets(in: folder, "DOORSTEP_ENVIRONMENT=demo")
                #expect(made == text)
                #expect(FileManager.default.fileExists(atPath: "\(folder)/.doorstep/secrets/database"))
            }
        }

        @Test("A variable of the process alone is written to .env, and quoted where it is more than a word")
        func secretsOfProcess() async throws {
            try await withFolder { folder in
                let text = """
                    COMPOSE_PROJECT_NAME=shop
                    DOORSTEP_SECRETS='./kept for $1'
                    DOORSTEP_PERSONS_SEALED=false

                    """
                var environment = ["DOORSTEP_SECRETS": "./kept for $1", "DOORSTEP_PERSONS_SEALED": "false"]
                environment["COMPOSE_PROJECT_NAME"] = "other"
                let made = try await Self.makeSecrets(in: folder, "COMPOSE_PROJECT_NAME=shop", environment: environment)
                #expect(made == text)
                #expect(FileManager.default.fileExists(atPath: "\(folder)/kept for $1/database"))
            }
        }

        @Test(
            "Where admin.pem is kept elsewhere no key is made anew, and nothing changes",
            arguments: ["orders.pem", "keys.json", "link-keys"])
        func keptElsewhere(name: String) async throws {
            try await withFolder { folder in
                let secrets = "\(folder)/kept"
                try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
                try Data("key".utf8).write(to: URL(filePath: "\(secrets)/\(name)"))
                let (exit, output) = try await Self.runSecrets(in: folder, "DOORSTEP_SECRETS=./kept")
                #expect(exit == .code(5))
                #expect(output.contains("admin.pem is kept elsewhere"), "\(output)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: secrets) == [name])
                #expect(try Self.calls(in: folder).isEmpty)
            }
        }

        @Test("A token that is kept for longer than it lives is named")
        func endedToken() async throws {
            try await withFolder { folder in
                let token = "\(folder)/kept/operator.token"
                try FileManager.default.createDirectory(atPath: "\(folder)/kept", withIntermediateDirectories: false)
                try Data("token".utf8).write(to: URL(filePath: token))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: token)
                let (exit, output) = try await Self.runSecrets(in: folder, "DOORSTEP_SECRETS=./kept")
                #expect(exit == .code(0), "\(output)")
                #expect(output.contains("kept/operator.token was made more than 720 hours ago: if"), "\(output)")
                #expect(!output.contains("store.token"), "\(output)")
            }
        }

        @Test(
            "An engine is stopped by its process id; a process that got the id of one that ended goes on",
            arguments: [("/usr/sbin/dockerd", true), ("sleep", false)])
        func engine(name: String, isStopped: Bool) async throws {
            try await withFolder { folder in
                // In place of the programs that change this machine's network.
                for program in ["ip", "iptables", "iptables-restore"] {
                    try Self.writeProgram("#!/bin/sh\n", to: "\(folder)/\(program)")
                }
                let process = try ChildProcess("bash", ["-c", #"exec -a "$1" sleep 600"#, "bash", name])
                try await withTeardown({ await process.kill9() }) {
                    try await eventually("the process has its name") {
                        let line = FileManager.default.contents(atPath: "/proc/\(process.processID)/cmdline")
                        return line == Data("\(name)\0600\0".utf8)
                    }
                    let file = "\(folder)/run/docker.pid"
                    try FileManager.default.createDirectory(
                        atPath: "\(folder)/run", withIntermediateDirectories: false)
                    try Data("\(process.processID)".utf8).write(to: URL(filePath: file))
                    let (exit, output) = try await ChildProcess.run(
                        Self.script("engine"), ["down", folder], environment: ["PATH": Self.path(with: folder)])
                    #expect(exit == .code(0), "\(output)")
                    #expect(process.isRunning == !isStopped)
                    #expect(!FileManager.default.fileExists(atPath: file))
                }
            }
        }

        @Test("A standby's copy that was interrupted is made anew as a whole, and one that is whole is kept")
        func standby() async throws {
            try await withFolder { folder in
                let text = try String(contentsOfFile: Self.script("standby"), encoding: .utf8)
                let script = "\(folder)/standby"
                try Self.writeProgram(text.replacing("/run/secrets/", with: "\(folder)/"), to: script)
                try Data("x".utf8).write(to: URL(filePath: "\(folder)/database"))
                try Self.writeProgram("#!/bin/sh\n", to: "\(folder)/postgres")
                // The first copy is interrupted.
                let copying = #"""
                    #!/bin/sh
                    echo copy >>"${0%/*}/copies"
                    for argument in "$@"; do
                        case "$argument" in */copy) copy=$argument ;; esac
                    done
                    mkdir -p "$copy/global"
                    touch "$copy/global/pg_control"
                    printf "primary_conninfo = ''\nsynchronous_standby_names = '*'\n" >"$copy/postgresql.auto.conf"
                    if [ "$(wc -l <"${0%/*}/copies")" = 1 ]; then
                        touch "$copy/left"
                        exit 1
                    fi
                    """#
                try Self.writeProgram(copying, to: "\(folder)/pg_basebackup")
                let data = "\(folder)/data"
                try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
                for code: Int32 in [1, 0, 0] {
                    let (exit, output) = try await ChildProcess.run(
                        script, environment: ["PATH": Self.path(with: folder), "PGDATA": data])
                    #expect(exit == .code(code), "\(output)")
                }
                let files = try FileManager.default.subpathsOfDirectory(atPath: data).sorted()
                #expect(files == ["global", "global/pg_control", "postgresql.auto.conf"])
                let settings = try String(contentsOfFile: "\(data)/postgresql.auto.conf", encoding: .utf8)
                #expect(settings == "primary_conninfo = ''\n")
                #expect(try String(contentsOfFile: "\(folder)/copies", encoding: .utf8) == "copy\ncopy\n")
            }
        }

        static func script(_ name: String) -> String {
            ProcessStack.root.appending(path: "Infra/docker/\(name)").path
        }

        func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "scripts-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.
            try await body(folder.path)
        }

        static func writeProgram(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        /// This process's `PATH` behind a folder of programs.
        private static func path(with folder: String) -> String {
            "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        }

        /// Reads a `.env` as the scripts do, with one variable set before, and prints the values of variables.
        ///
        /// - Parameter variables: their names without `DOORSTEP_`.
        private static func read(
            _ text: String, in folder: String, variables: [String]
        ) async throws -> (exit: ChildProcess.Exit, output: String) {
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/.env"))
            let command = #"cd "$1"; . "$2"; shift 2; for name in "$@"; do echo "${!name}"; done"#
            return try await ChildProcess.run(
                "bash",
                ["-euc", command, "bash", folder, script("dotenv")] + variables.map { "DOORSTEP_\($0)" },
                environment: ["DOORSTEP_DOCKER": "podman"])
        }

        /// Makes secrets as ``runSecrets(in:_:environment:)`` does.
        ///
        /// - Returns: the `.env` that this leaves.
        private static func makeSecrets(
            in folder: String, _ text: String, environment: [String: String] = [:]
        ) async throws -> String {
            let (exit, output) = try await runSecrets(in: folder, text, environment: environment)
            #expect(exit == .code(0), "\(output)")
            return try String(contentsOfFile: "\(folder)/.env", encoding: .utf8)
        }

        /// Runs a copy of `secrets` whose project is a folder with a `.env`, with a Docker that makes two of the files.
        private static func runSecrets(
            in folder: String, _ text: String, environment: [String: String] = [:]
        ) async throws -> (exit: ChildProcess.Exit, output: String) {
            let scripts = "\(folder)/Infra/docker"
            try FileManager.default.createDirectory(atPath: scripts, withIntermediateDirectories: true)
            for name in ["secrets", "dotenv"] {
                try FileManager.default.copyItem(atPath: script(name), toPath: "\(scripts)/\(name)")
            }
            try Data(text.utf8).write(to: URL(filePath: "\(folder)/.env"))
            let docker = #"""
                #!/bin/sh
                echo "$*" >>"${0%/*}/calls"
                for argument in "$@"; do
                    case "$argument" in *:/secrets) touch "${argument%:*}/admin.pem" "${argument%:*}/keys.json" ;; esac
                done
                case "$*" in *"admin token"*) echo token ;; esac
                """#
            try writeProgram(docker, to: "\(folder)/docker")
            return try await ChildProcess.run(
                "\(scripts)/secrets", environment: environment.merging(["PATH": path(with: folder)]) { $1 })
        }

        /// The words of each of Docker's calls.
        static func calls(in folder: String) throws -> [String] {
            let file = "\(folder)/calls"
            guard FileManager.default.fileExists(atPath: file) else { return [] }
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }
}
