import CommandOutput
import Foundation
import ProcessSettings

/// The rotation of a file of numbered keys: of links, of kept secrets or of customers' PINs.
struct NumberedKeyRotation: Sendable {
    /// The use of a file of keys, in the words of the command.
    enum Kind: String, Sendable {
        case links, secrets, pins

        var fileName: String {
            switch self {
            case .links: "link-keys"
            case .secrets: "secret-keys"
            case .pins: "pin-keys"
            }
        }

        var service: String {
            switch self {
            case .links: "orders"
            case .secrets: "partners"
            case .pins: "orders and activity-dispatch"
            }
        }
    }

    let kind: Kind
    let folder: URL
    let rules: KeyRotation
    /// The random bytes of a new key.
    var makeBytes: @Sendable () -> [UInt8] = { StackKeys.randomBytes() }

    private var file: URL { folder.appending(path: kind.fileName) }

    /// - Returns: lines to print.
    /// - Throws: `CommandFailure`; the file is then unchanged.
    func make(_ step: KeyRotation.Step) throws -> [String] {
        guard var keys = NumberedKeys(text: try KeyFiles.text(of: file)) else {
            throw CommandFailure(.usage, "\(file.path) has a line that is not id:hex, or an id twice")
        }
        let former = keys
        let lines = try make(step, &keys)
        if keys != former { try KeyFiles.replace(file, keys.text) }
        return lines
    }

    private func make(_ step: KeyRotation.Step, _ keys: inout NumberedKeys) throws -> [String] {
        let restart = "give every replica of \(kind.service) this \(kind.fileName) and restart them one after another."
        func command(_ step: KeyRotation.Step, _ more: String = "") -> String {
            rules.command("--\(kind.rawValue)", step, more)
        }
        switch step {
        case .add:
            let id = try standby(&keys)
            return [
                "key \(id) is known and does not sign yet", "Next: \(restart) Then: \(command(.sign))",
            ]
        case .sign:
            guard let index = keys.keys.firstIndex(where: { $0.stage == .standby }) else {
                return ["no key waits to sign; \(command(.add)) makes one"]
            }
            for place in keys.keys.indices where keys.keys[place].stage == .inUse {
                keys.keys[place].stage = .retired(rules.now)
            }
            keys.keys[index].stage = .inUse
            return [
                "key \(keys.keys[index].id) signs from the next start of each replica",
                "Next: \(restart) \(whenToDrop) \(command(.drop, kind == .secrets ? "" : "--restarted TIME"))",
            ]
        case .drop:
            let retired = keys.keys.compactMap { key -> (name: String, since: Date)? in
                guard case .retired(let since) = key.stage else { return nil }
                return (name: "key \(key.id)", since: since)
            }
            guard !retired.isEmpty else { return ["no key is retired"] }
            try rules.checkDrop(retired)
            keys.keys.removeAll { if case .retired = $0.stage { true } else { false } }
            return retired.map { "\($0.name) is known no more" } + ["Next: \(restart)"]
        }
    }

    private var whenToDrop: String {
        switch kind {
        case .links:
            "When no link of the former key is used any more, and each courier has a new one by doorstep courier link:"
        case .secrets:
            "When doorstep webhooks rotate has run for each endpoint, and sources rotate, or sources add once more, "
                + "for each source:"
        case .pins:
            "When each delivery that was placed before ended more than 30 days ago, or retention.imagesDays, its "
                + "photos are deleted, and doorstep_orders_personal_data_to_seal is 0 on every replica of orders, two "
                + "hours after the last restart:"
        }
    }

    /// The id of the key that waits to sign, which is added where there is none.
    private func standby(_ keys: inout NumberedKeys) throws -> UInt8 {
        if let waiting = keys.keys.first(where: { $0.stage == .standby }) { return waiting.id }
        guard let highest = keys.keys.map(\.id).max(), highest < .max else {
            throw CommandFailure(.conflict, "\(file.path) has no key, or one with the highest id that there is, 255")
        }
        keys.keys.append(.init(id: highest + 1, bytes: makeBytes(), stage: .standby))
        return highest + 1
    }
}
