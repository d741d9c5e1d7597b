import Foundation
import LiveActivity
import OrderDomain

extension StoreContact {
    /// Characters of the longest accepted URL.
    static let urlCharactersMax = 200

    /// The link that calls the store; nil without a number that can be called.
    var callURL: String? { phone.flatMap { PhoneLink($0)?.url } }

    var links: StoreContactLinks { StoreContactLinks(call: callURL, web: url) }

    /// Whether the URL leads to a page over TLS.
    var hasPageURL: Bool {
        guard let url else { return true }
        let parts = URLComponents(string: url)
        return parts?.scheme?.lowercased() == "https" && parts?.host?.isEmpty == false
    }
}
