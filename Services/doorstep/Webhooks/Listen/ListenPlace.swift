import DoorstepAPI
import Foundation
import WireCoding

/// The place that a run of `webhooks listen` has reached, so that its next connection continues the former one.
struct ListenPlace: Hashable, Sendable {
    /// The id of the connection before; nil before the first, and of a version that continues none.
    private var listener: EndpointID?
    /// The id of the newest event.
    private var last: String?
    private var hasBeenOpen = false

    /// Whether the next connection continues a former one.
    var continues: Bool { listener != nil }

    /// The address of the next connection.
    func url(_ url: String) -> String {
        guard let listener, var components = URLComponents(string: url) else { return url }
        let former = [URLQueryItem(name: "listener", value: listener.rawValue)]
        let read = last.map { [URLQueryItem(name: "after", value: $0)] } ?? []
        components.queryItems = (components.queryItems ?? []) + former + read
        return components.string ?? url
    }

    /// Forgets the former connection, which cannot be continued.
    mutating func beginAnew() { (listener, last) = (nil, nil) }

    /// Notes an event of a connection.
    ///
    /// - Returns: whether the event begins a connection that lacks what happened since the former one.
    mutating func note(_ event: EventStreamParser.Event) -> Bool {
        if event.name == "webhook", let id = event.id { last = id }
        // The caller reports a first event that cannot be read.
        guard event.name == "ready",
            let ready = try? WireJSON.decode(ListenReadyBody.self, from: Data(event.data.utf8))
        else { return false }
        defer { (listener, hasBeenOpen) = (ready.listener, true) }
        return hasBeenOpen && !continues
    }
}
