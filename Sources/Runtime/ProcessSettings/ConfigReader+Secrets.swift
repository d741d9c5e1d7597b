package import Configuration
internal import Foundation

extension ConfigReader {
    /// The environment this process was started for; `production` unless it is set.
    /// - Throws: ``ConfigurationError`` for an unknown environment.
    package func deploymentEnvironment() throws -> DeploymentEnvironment {
        try choice("environment", default: .production)
    }

    /// The content of the file that `key` names, without the white space around it; nil when the key is not set.
    ///
    /// Secrets come from files only, so that they show in no process list and no environment dump.
    /// - Parameter key: ends in `.file`.
    /// - Throws: ``ConfigurationError`` when the file cannot be read or is empty, and when it holds a sample in production.
    package func secret(_ key: String) throws -> String? {
        guard let path = try text(key) else { return nil }
        let content = try contentOfFile(at: path, key: key)
        try refuseSample(content, key: key)
        return content
    }

    /// Same as ``secret(_:)``, for a required secret.
    /// - Throws: ``ConfigurationError`` where the setting is missing or its file unreadable.
    package func requiredSecret(_ key: String) throws -> String {
        guard let content = try secret(key) else {
            throw ConfigurationError(
                key: key, problem: "is not set", fix: "set \(waysToSet(key)) to the path of a file with the secret")
        }
        return content
    }

    /// Keys by their number, from a file of lines `id:hex`.
    ///
    /// - Throws: as ``requiredSecret(_:)``; ``ConfigurationError`` for a line of another form.
    package func numberedKeys(_ key: String) throws -> NumberedKeys {
        guard let keys = NumberedKeys(text: try requiredSecret(key)) else {
            throw ConfigurationError(
                key: key, problem: "has a line that is not id:hex, or an id twice",
                fix: "make a file with: doorstep admin keys --directory …")
        }
        return keys
    }

    /// Refuses a sample or guessable secret outside the demo and tests.
    ///
    /// - Throws: ``ConfigurationError``, without the secret in it.
    package func refuseSample(_ secret: String, key: String) throws {
        guard try !deploymentEnvironment().allowsSamples, isSample(secret) else { return }
        throw ConfigurationError(
            key: key, problem: "is a sample secret",
            fix: "make a new one, or set \(waysToSet("environment")) to demo if this is one")
    }

    func contentOfFile(at path: String, key: String) throws -> String {
        let content: String
        do {
            content = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw ConfigurationError(
                key: key, problem: "names \(path), which cannot be read",
                fix: "check that the file exists and that this process may read it")
        }
        guard !content.isEmpty else {
            throw ConfigurationError(
                key: key, problem: "names \(path), which is empty", fix: "put the secret into the file")
        }
        return content
    }
}

/// True for secrets that documentation and defaults are full of.
func isSample(_ secret: String) -> Bool {
    let text = secret.lowercased()
    let marks = ["sample", "example", "changeme", "change-me", "change_me", "insecure", "do-not-use"]
    if marks.contains(where: text.contains) { return true }
    let guesses: Set = [
        "admin", "demo", "doorstep", "letmein", "nats", "pass", "password", "postgres", "root", "s3cret", "secret",
        "test",
    ]
    return guesses.contains(text)
}

extension ConfigurationError {
    /// No numbered key of a file is in use.
    ///
    /// - Parameter rotation: the option of the command that rotates the keys of this kind.
    package init(noneInUse key: String, rotation: String) {
        self.init(
            key: key, problem: "has no key in use: every key is standby or retired",
            fix: "have the standby key sign with: doorstep admin keys rotate \(rotation) sign --directory …")
    }

    /// A numbered key of a file has not 32 bytes.
    package init(wrongLengthOf id: UInt8, in key: String) {
        self.init(key: key, problem: "has key \(id) with another length than 32 bytes", fix: "make a new one")
    }
}
