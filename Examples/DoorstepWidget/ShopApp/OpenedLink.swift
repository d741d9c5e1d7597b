import DoorstepDevice
import Foundation

/// The link that the customer opened last, with what the app shows of it: a button presses the link that it is drawn for.
struct OpenedLink {
    private(set) var url: URL?
    private(set) var answer: LinkAnswer?
    private(set) var refusal: String?

    /// Nothing of the former link stays: its button would press this one.
    mutating func open(_ url: URL) {
        self = OpenedLink()
        self.url = url
    }

    /// Keeps an answer, unless it is a late one for a former link; a refusal leaves the button, to be pressed again.
    mutating func note(_ result: Result<LinkAnswer?, any Error>, of url: URL) {
        guard url == self.url else { return }
        switch result {
        case .success(let answer): (self.answer, refusal) = (answer, nil)
        case .failure(let error): refusal = error.localizedDescription
        }
    }
}
