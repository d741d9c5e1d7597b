import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import NIOHTTP1

/// Repairs a service's failures: messages that it could not process, and snapshots that readers lack.
///
/// Every call throws ``ServiceRefusal`` where the service refuses it, and every repair ``ServiceUnavailable`` where the
/// service does not answer.
struct RepairServices: Sendable {
    let services: ServiceClient

    /// The dead letters of each service that is configured, in the services' order.
    func deadLetters(
        for user: DeskUser
    ) async throws -> [(service: TimelineEvent.Source, answer: PeerAnswer<DeadLettersBody>)] {
        var all: [(service: TimelineEvent.Source, answer: PeerAnswer<DeadLettersBody>)] = []
        for service in services.addresses.configured {
            all.append((service, try await services.read(service, "/v1/admin/dead-letters", for: user)))
        }
        return all
    }

    /// Asks a service to process a dead letter again.
    func retry(_ letter: UUID, of service: TimelineEvent.Source, by user: DeskUser) async throws {
        let _: DeadLetterBody = try await services.send(
            .POST, service, path(of: letter, "retry"), [String: String]?.none, for: user)
    }

    /// Asks a service to leave a dead letter unprocessed.
    func drop(_ letter: UUID, of service: TimelineEvent.Source, reason: String, by user: DeskUser) async throws {
        let _: DeadLetterBody = try await services.send(
            .POST, service, path(of: letter, "drop"), ReasonBody(reason: reason), for: user)
    }

    private func path(of letter: UUID, _ repair: String) -> String {
        "/v1/admin/dead-letters/\(letter.uuidString.lowercased())/\(repair)"
    }

    /// Asks a service to publish everything live again.
    ///
    /// - Returns: how many messages it put into its outbox.
    func republish(_ service: TimelineEvent.Source, by user: DeskUser) async throws -> Int {
        let body: RepublishBody = try await services.send(
            .POST, service, "/v1/admin/republish", [String: String]?.none, for: user)
        return body.republished
    }
}
