import Foundation

/// Tries, from inside the network and with one service's credentials, what that service may not do.
struct AccessProbe: Sendable {
    /// The result of an attempt.
    enum Outcome: Hashable, Sendable, CustomStringConvertible {
        case allowed
        /// With the server's error message.
        case denied(String)

        var description: String {
            switch self {
            case .allowed: "ALLOWED"
            case .denied(let message): message
            }
        }

        var isDenied: Bool { self != .allowed }
    }

    let stack: ComposeStack

    /// The password in a secret's file.
    func password(_ secret: String) throws -> String {
        try String(contentsOfFile: "\(stack.settings.secrets)/\(secret)", encoding: .utf8)
    }

    // MARK: Postgres

    /// Runs each statement by itself as a role, over the network as a service does.
    func sql(_ statements: [String], as role: String, password: String, database: String = "doorstep") async throws
        -> [Outcome]
    {
        try await outcomes(
            of: statements, script: Self.sqlScript,
            environment: ["PGUSER": role, "PGPASSWORD": password, "PGDATABASE": database])
    }

    /// Prints one line a statement: `result ok`, or `result` and the server's error.
    private static let sqlScript = #"""
        while IFS= read -r statement; do
            if message=$(psql --no-psqlrc --quiet --host postgres --command "$statement" 2>&1 >/dev/null); then
                echo "result ok"
            else
                message=${message%%$'\n'*}
                echo "result ${message#*: }"
            fi
        done <<<"$ATTEMPTS"
        """#

    // MARK: NATS

    /// One line of the broker's protocol.
    enum Attempt: Hashable, Sendable, CustomStringConvertible {
        case publish(String)
        case subscribe(String)

        var description: String {
            switch self {
            case .publish(let subject): "publish \(subject)"
            case .subscribe(let subject): "subscribe \(subject)"
            }
        }

        fileprivate var line: String {
            switch self {
            case .publish(let subject): "PUB \(subject) 0"
            case .subscribe(let subject): "SUB \(subject) 1"
            }
        }
    }

    /// Tries each on one connection; the broker reports an error before it responds to the ping that follows.
    func nats(_ attempts: [Attempt], as user: String, password: String) async throws -> [Outcome] {
        try await outcomes(
            of: attempts.map(\.line), script: Self.natsScript,
            environment: ["NATS_USER": user, "NATS_PASSWORD": password])
    }

    /// Prints one line an attempt: `result ok`, or `result` and the broker's error.
    private static let natsScript = #"""
        trap '' PIPE
        exec 3<>/dev/tcp/nats/4222
        # Reads until the broker responds to the ping; the result is `ok` or the last error.
        read_result() {
            result=closed
            while read -r -t 5 line <&3; do
                case "$line" in
                -ERR*) result=${line#-ERR }; result=${result%$'\r'} ;;
                PONG*)
                    if [ "$result" = closed ]; then result=ok; fi
                    break
                    ;;
                esac
            done
        }
        read -r -t 5 _ <&3
        printf 'CONNECT {"user":"%s","pass":"%s","verbose":false,"pedantic":false}\r\nPING\r\n' \
            "$NATS_USER" "$NATS_PASSWORD" >&3
        read_result
        if [ "$result" != ok ]; then
            while IFS= read -r attempt; do echo "result $result"; done <<<"$ATTEMPTS"
            exit
        fi
        while IFS= read -r attempt; do
            case "$attempt" in
            PUB*) printf '%s\r\n\r\nPING\r\n' "$attempt" >&3 ;;
            SUB*) printf '%s\r\nPING\r\n' "$attempt" >&3 ;;
            esac
            read_result
            echo "result $result"
        done <<<"$ATTEMPTS"
        """#

    // MARK: Running a script in a container

    /// Runs a script in the database's container, which has a shell and is on the backend network.
    private func outcomes(of attempts: [String], script: String, environment: [String: String]) async throws
        -> [Outcome]
    {
        var arguments = ["exec", "-T", "-e", "ATTEMPTS=\(attempts.joined(separator: "\n"))"]
        for (key, value) in environment.sorted(by: { $0.key < $1.key }) { arguments += ["-e", "\(key)=\(value)"] }
        let (succeeded, output) = try await stack.docker.tryCompose(arguments + ["postgres", "bash", "-c", script])
        let results = output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("result ") }
            .map { $0.dropFirst("result ".count) }
        guard succeeded, results.count == attempts.count else {
            throw Docker.Failed(description: "\(attempts.count) attempts, \(results.count) results:\n\(output)")
        }
        return results.map { $0 == "ok" ? .allowed : .denied(String($0)) }
    }
}
