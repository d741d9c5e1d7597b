internal import Synchronization

/// The methods of each path, for the answer to an unsupported method.
final class RouteTable: Sendable {
    struct Route: Sendable {
        let method: String
        /// The path as registered: `/v1/orders/{id}`.
        let path: String
    }

    private let routes = Mutex<[Route]>([])

    func set(_ routes: [Route]) { self.routes.withLock { $0 = routes } }

    /// Sorted; empty when no route has this path.
    func methods(of path: String) -> [String] {
        let segments = path.split(separator: "/")
        return routes.withLock { routes in
            Set(routes.filter { matches($0.path.split(separator: "/"), segments) }.map(\.method)).sorted()
        }
    }

    private func matches(_ pattern: [Substring], _ segments: [Substring]) -> Bool {
        pattern.count == segments.count
            && zip(pattern, segments).allSatisfy { part, segment in
                part == segment || part.hasPrefix("{") || part.hasPrefix(":")
            }
    }
}
