import DoorstepAPI
import Foundation
import WireCoding

/// How far a run of `webhooks listen` has read, so that its next connection goes on from there.
struct ListenPlace: Hashable, Sendable {
    private var ready: ListenReadyBody?
    /// The newest event's id.
    private var last: String?

    /// The address of the next connection.
    func url(_ url: String) -> String {
        guard let listener = ready?.listener, var components = URLComponents(string: url) else { return url }
        let former = [URLQueryItem(name: "listener", value: listener.rawValue)]
        let read = last.map { [URLQueryItem(name: "after", value: $0)] } ?? []
        components.queryItems = (components.queryItems ?? []) + former + read
        return components.string ?? url
    }

    /// Notes an event of the stream.
    ///
    /// - Returns: whether it begins a connection that lacks what happened since the former one.
    mutating func note(_ event: EventStreamParser.Event) -> Bool {
        if event.name == "webhook", let id = event.id { last = id }
        // One that cannot be read is reported as such.
        guard event.name == "ready",
            let ready = try? WireJSON.decode(ListenReadyBody.self, from: Data(event.data.utf8))
        else { return false }
        defer { self.ready = ready }
        return self.ready != nil && ready.continues != true
    }
}
