import Foundation
import LiveActivity
import NIOHTTP1
import WireCoding

/// Presses links: what a deep link on a card does when it is opened.
struct LinkClient: Sendable {
    let client: APIClient
    let settings: CustomerSettings

    /// What a link stands for; changes nothing.
    func show(_ link: String) async throws -> LinkAnswer {
        try LinkAnswer(await client.send(.GET, checked(link), token: settings.token()))
    }

    /// Does what a link stands for; a second press answers what the first did.
    ///
    /// - Throws: `CommandFailure` with the service's own reason when it may not be pressed now.
    func press(_ link: String) async throws -> LinkAnswer {
        try LinkAnswer(await client.send(.POST, checked(link), token: settings.token()))
    }

    /// The link, if it is one of ours: a customer's token goes to our own service and nowhere else.
    private func checked(_ link: String) throws -> String {
        let orders = try settings.url("DOORSTEP_ORDERS_URL")
        guard let url = URLComponents(string: link), url.user == nil, url.path.contains("/l/"),
            APIClient.origin(of: link) == APIClient.origin(of: orders)
        else {
            throw CommandFailure(
                .usage, "That is not a link of \(APIClient.origin(of: orders)), so your token is not sent there.")
        }
        return link
    }
}

/// What a link's page says: the part of the answer that people read, so that more in it breaks nothing.
struct LinkAnswer: Sendable {
    private struct Body: Decodable {
        let verb: String
        let message: String
        let isPressable: Bool
        let why: String?
        let phone: String?
    }

    private let body: Body
    /// The whole answer as it came.
    let json: String

    /// - Throws: the service's refusal, or that its answer cannot be read.
    init(_ answer: APIClient.Answer) throws {
        body = try answer.decode(Body.self)
        json = String(decoding: answer.body, as: UTF8.self)
    }

    /// Whether there is something to do, and not only to see.
    var isAction: Bool { !(Verb(rawValue: body.verb)?.isView ?? false) }
    var isPressable: Bool { body.isPressable }
    /// Why it may not be pressed now.
    var why: String? { body.why?.safeOnTerminal }

    /// The message in a line, with the number to call where there is one.
    var sentence: String { [body.message, body.phone].compactMap(\.self).joined(separator: " · ").safeOnTerminal }
}
