import CommandOutput
import DoorstepAPI
import Foundation
import WebhookSignatures

/// The one secret by which a program verifies the events of a run of `webhooks listen`.
///
/// `partners` makes a secret for each connection. Events of a connection with another secret are signed again.
struct ListenSecret: Sendable {
    private var key: WebhookKey?
    private var isPrinted = false
    /// Whether the present connection signs by this secret itself.
    private var isOfConnection = false

    /// - Parameter given: nil for the secret of the first connection.
    init(_ given: WebhookKey? = nil) { key = given }

    /// Notes the secret of a connection.
    ///
    /// - Returns: the run's secret as text at the first connection, nil later.
    /// - Throws: `CommandFailure` where the secret is none.
    mutating func connect(_ text: String) throws -> String? {
        let present: WebhookKey
        do {
            present = try WebhookKey(text)
        } catch {
            throw CommandFailure(.unavailable, "partners sent a secret that is none (\(error))")
        }
        let key = self.key ?? present
        self.key = key
        isOfConnection = key.text == present.text
        defer { isPrinted = true }
        return isPrinted ? nil : key.text
    }

    /// The event with a signature by the run's secret, at the time of the attempt.
    func sign(_ event: ForwardedEventBody, at now: Date) -> ForwardedEventBody {
        guard !isOfConnection, let key,
            let id = event.headers.first(where: { $0.key.lowercased() == "webhook-id" })?.value,
            let signed = StandardWebhook.signing(Data(event.body.utf8), id: id, at: now, keys: [key])
        else { return event }
        var headers = event.headers.filter { !$0.key.lowercased().hasPrefix("webhook-") }
        headers["webhook-id"] = signed.id
        headers["webhook-timestamp"] = signed.timestamp
        headers["webhook-signature"] = signed.signature
        return ForwardedEventBody(headers: headers, body: event.body)
    }
}
