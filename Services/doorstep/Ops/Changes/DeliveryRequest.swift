import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// One request that changes a delivery; a command may need several for one change.
struct DeliveryRequest: Sendable {
    /// The change in words: `set to staged`.
    let what: String
    let method: HTTPMethod
    /// After `/v1/deliveries/{id}`.
    let path: String
    var query: [(name: String, value: String?)] = []
    let body: any Encodable & Sendable
}

extension PeerClient {
    /// Asks `orders` whether it would accept each request, and changes nothing.
    ///
    /// - Parameter delivery: as it was when the requests were made for it.
    /// - Throws: `CommandFailure`, which names the change, where one would be refused.
    func check(_ requests: [DeliveryRequest], of delivery: DeliveryBody) async throws {
        for request in requests {
            do {
                _ = try await exchange(
                    request.method, "/v1/deliveries/\(delivery.id)\(request.path)",
                    query: request.query + [("preview", "true")], body: request.body,
                    headers: ["If-Match": "\"v\(delivery.version)\""])
            } catch let failure as CommandFailure {
                throw CommandFailure(failure.kind, "not \(request.what.safeOnTerminal): \(failure.message)")
            }
        }
    }

    /// Sends the requests of one change, each once those before it are made, and prints each that is made.
    ///
    /// - Parameters:
    ///   - delivery: as it was when the requests were made for it.
    ///   - name: the delivery's name in the printed lines.
    ///   - command: the command that shows the delivery to the caller.
    ///   - entityTag: the precondition of the first request, which each answer replaces; nil for any version.
    /// - Throws: `CommandFailure`, which names whether others were made, and whether the request itself may have been.
    func make(
        _ requests: [DeliveryRequest], of delivery: DeliveryBody, named name: String, shownBy command: String,
        entityTag: String?
    ) async throws {
        var precondition = entityTag
        for (index, request) in requests.enumerated() {
            let changed: DeliveryBody
            do {
                changed = try await send(
                    request.method, "/v1/deliveries/\(delivery.id)\(request.path)", query: request.query,
                    body: request.body, headers: precondition.map { ["If-Match": $0] } ?? [:], as: DeliveryBody.self
                ).body
            } catch let failure as CommandFailure {
                guard failure.mayBeDone else { throw index > 0 ? failure.afterOthers : failure }
                guard let present = await read(delivery.id, withItemsOf: request) else {
                    throw failure.unanswered(shownBy: command, isAfterOthers: index > 0)
                }
                changed = present
            }
            if precondition != nil { precondition = "\"v\(changed.version)\"" }
            writeLine(
                "\(request.what): \(name), now \(changed.status.text), version \(changed.version)".safeOnTerminal)
        }
    }

    /// The delivery with the further items of a request that was not answered; nil without them, for another request,
    /// and where `orders` does not answer.
    private func read(_ id: DeliveryID, withItemsOf request: DeliveryRequest) async -> DeliveryBody? {
        guard let sent = request.body as? AddItemsBody,
            // Without an answer it stays unknown whether the items were added, which the command's failure names.
            let present = try? await get("/v1/deliveries/\(id)", as: DeliveryBody.self)
        else { return nil }
        let isMade = sent.items.allSatisfy { line in
            present.items.contains { $0.id == line.id && $0.name == line.name }
        }
        return isMade ? present : nil
    }
}

extension CommandFailure {
    /// The failure of a refused request after others of the same change, which were made.
    fileprivate var afterOthers: CommandFailure {
        CommandFailure(kind, "\(message); what is printed above was made: repeat the rest")
    }

    /// Makes a change, and names the command that shows it in the failure of one that may have been made.
    ///
    /// - Throws: the error of `change`.
    static func naming<Value>(_ command: String, change: () async throws -> Value) async throws -> Value {
        do {
            return try await change()
        } catch let failure as CommandFailure where failure.mayBeDone {
            throw failure.unanswered(shownBy: command, isAfterOthers: false)
        }
    }

    /// The failure of a request that was not answered: its repeat could make a change twice.
    func unanswered(shownBy command: String, isAfterOthers: Bool) -> CommandFailure {
        let sentence = message.hasSuffix(".") ? message : message + "."
        let others = isAfterOthers ? " What is printed above was made." : ""
        let remedy = "see `\(command)` before you repeat it"
        return CommandFailure(
            kind, "\(sentence)\(others) The change may have been made: \(remedy)", mayBeDone: true)
    }
}
