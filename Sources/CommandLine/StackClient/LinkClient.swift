package import APIClient
internal import CommandOutput
internal import Foundation
package import LiveActivity
internal import NIOHTTP1

/// Shows and presses a card's deep links over HTTP, with the customer's token.
package struct LinkClient: Sendable {
    private let client: APIClient
    private let settings: CustomerSettings

    package init(client: APIClient, settings: CustomerSettings) {
        self.client = client
        self.settings = settings
    }

    /// Describes a link without pressing it.
    /// - Throws: `CommandFailure` where the link or the token file is invalid, or where `orders` refuses or does not
    ///   answer.
    package func show(_ link: String) async throws -> LinkAnswer {
        try LinkAnswer(await client.send(.GET, checked(link), token: settings.token()), to: link)
    }

    /// Executes a link's action; a repeat answers with the first press's result.
    ///
    /// - Throws: `CommandFailure` with the service's own reason when it may not be pressed now.
    package func press(_ link: String) async throws -> LinkAnswer {
        try LinkAnswer(await client.send(.POST, checked(link), token: settings.token()), to: link)
    }

    /// The link, if it is one of `orders`: a customer's token is sent nowhere else.
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

/// The answer to a link, for a command's output.
///
/// It decodes only the printed fields, so that a verb of a later version breaks nothing.
package struct LinkAnswer: Sendable {
    private struct Body: Decodable {
        let verb: String
        let message: String
        let isPressable: Bool
        let why: String?
        let phone: String?
        let details: [Phrase]?
        let attributes: GroceryDeliveryAttributes
        let content: GroceryDeliveryAttributes.ContentState
    }

    private let body: Body
    private let link: String
    /// The whole answer as it came.
    package let json: String

    /// - Throws: the service's refusal, or that its answer cannot be read.
    package init(_ answer: APIClient.Answer, to link: String) throws {
        self.link = link
        body = try answer.decode(Body.self)
        json = String(decoding: answer.body, as: UTF8.self)
    }

    /// Whether the link does something, rather than only showing it.
    package var isAction: Bool { !(Verb(rawValue: body.verb)?.isView ?? false) }
    /// An open code, such as `cancel`.
    package var verb: String { body.verb }
    package var isPressable: Bool { body.isPressable }
    /// The card that the link is on, as it is now.
    package var attributes: GroceryDeliveryAttributes { body.attributes }
    package var content: GroceryDeliveryAttributes.ContentState { body.content }
    /// Whether the link answers an open question, and the card has another link: it may name other goods.
    package var isOfAnotherQuestion: Bool {
        switch Verb(rawValue: verb) {
        case .approveSubstitution, .refuseSubstitution: isPressable && !content.buttons.contains { isLink($0.url) }
        case .leaveAtDoor, .handToMe, .contactCourier, .details, .cancel, .feedback, nil: false
        }
    }
    /// The number to call, where there is one.
    package var phone: String? { body.phone?.safeOnTerminal }
    /// Why it may not be pressed now.
    package var why: String? { body.why?.safeOnTerminal }

    /// Each item's outcome and the next steps, one phrase a line; empty for other links.
    package var details: [Phrase] { body.details ?? [] }

    /// The message in a line, with the number to call where there is one.
    package var sentence: String {
        [body.message, body.phone].compactMap(\.self).joined(separator: " · ").safeOnTerminal
    }

    /// Whether a URL has this link's token; its origin may differ.
    private func isLink(_ url: String) -> Bool {
        URLComponents(string: url)?.path.split(separator: "/").last
            == URLComponents(string: link)?.path.split(separator: "/").last
    }
}
