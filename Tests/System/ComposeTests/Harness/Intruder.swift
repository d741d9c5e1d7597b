import Foundation

/// Somebody inside the network with one service's credentials, who tries what that service may not do.
struct Intruder: Sendable {
    /// What became of an attempt.
    enum Outcome: Hashable, Sendable, CustomStringConvertible {
        case allowed
        /// With the server's own words.
        case refused(String)

        var description: String {
            switch self {
            case .allowed: "ALLOWED"
            case .refused(let words): words
            }
        }

        var isRefused: Bool { self != .allowed }
    }

    let stack: Containers

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

    /// Prints one line a statement: `answer ok`, or `answer` and the server's error.
    private static let sqlScript = #"""
        while IFS= read -r statement; do
            if words=$(psql --no-psqlrc --quiet --host postgres --command "$statement" 2>&1 >/dev/null); then
                echo "answer ok"
            else
                words=${words%%$'\n'*}
                echo "answer ${words#*: }"
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

    /// Tries each on one connection; the broker answers a refusal before it answers the ping behind it.
    func nats(_ attempts: [Attempt], as user: String, password: String) async throws -> [Outcome] {
        try await outcomes(
            of: attempts.map(\.line), script: Self.natsScript,
            environment: ["NATS_USER": user, "NATS_PASSWORD": password])
    }

    /// Prints one line an attempt: `answer ok`, or `answer` and the broker's error.
    private static let natsScript = #"""
        trap '' PIPE
        exec 3<>/dev/tcp/nats/4222
        # Until the broker answers the ping: what was wrong, if anything was.
        hear() {
            answer=closed
            while read -r -t 5 line <&3; do
                case "$line" in
                -ERR*) answer=${line#-ERR }; answer=${answer%$'\r'} ;;
                PONG*)
                    if [ "$answer" = closed ]; then answer=ok; fi
                    break
                    ;;
                esac
            done
        }
        read -r -t 5 _ <&3
        printf 'CONNECT {"user":"%s","pass":"%s","verbose":false,"pedantic":false}\r\nPING\r\n' \
            "$NATS_USER" "$NATS_PASSWORD" >&3
        hear
        if [ "$answer" != ok ]; then
            while IFS= read -r attempt; do echo "answer $answer"; done <<<"$ATTEMPTS"
            exit
        fi
        while IFS= read -r attempt; do
            case "$attempt" in
            PUB*) printf '%s\r\n\r\nPING\r\n' "$attempt" >&3 ;;
            SUB*) printf '%s\r\nPING\r\n' "$attempt" >&3 ;;
            esac
            hear
            echo "answer $answer"
        done <<<"$ATTEMPTS"
        """#

    // MARK: Inside

    /// Runs a script in the database's container, which has a shell and is on the network of the stack.
    private func outcomes(of attempts: [String], script: String, environment: [String: String]) async throws
        -> [Outcome]
    {
        var words = ["exec", "-T", "-e", "ATTEMPTS=\(attempts.joined(separator: "\n"))"]
        for (key, value) in environment.sorted(by: { $0.key < $1.key }) { words += ["-e", "\(key)=\(value)"] }
        let (succeeded, output) = try await stack.docker.tryCompose(words + ["postgres", "bash", "-c", script])
        let answers = output.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("answer ") }
            .map { $0.dropFirst("answer ".count) }
        guard succeeded, answers.count == attempts.count else {
            throw Docker.Failed(description: "\(attempts.count) attempts, \(answers.count) answers:\n\(output)")
        }
        return answers.map { $0 == "ok" ? .allowed : .refused(String($0)) }
    }
}
