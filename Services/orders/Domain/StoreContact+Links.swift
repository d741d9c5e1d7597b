import Foundation
import LiveActivity
import OrderDomain

extension StoreContact {
    /// Characters of the longest accepted URL.
    static let urlCharactersMax = 200
    /// Characters of the longest accepted e-mail address.
    static let emailCharactersMax = 120

    /// The link that calls the store; nil without a number that can be called.
    var callURL: String? { phone.flatMap { PhoneLink($0)?.url } }

    /// The link that begins an e-mail to the store; nil without an address.
    var mailURL: String? { email.map { "mailto:" + $0 } }

    var links: StoreContactLinks { StoreContactLinks(call: callURL, web: url, mail: mailURL) }

    /// Whether the e-mail address is one whose every character stands for itself in a link.
    var hasLinkableEmail: Bool {
        email.map { $0.wholeMatch(of: /[A-Za-z0-9._+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}/) != nil } ?? true
    }

    /// Whether the URL leads to a page over TLS.
    var hasPageURL: Bool {
        guard let url else { return true }
        let parts = URLComponents(string: url)
        return parts?.scheme?.lowercased() == "https" && parts?.host?.isEmpty == false
    }
}
