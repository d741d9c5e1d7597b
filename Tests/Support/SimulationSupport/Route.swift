import Foundation
package import OrderDomain

/// A courier's positions with their times, in seconds from the start.
package struct Route: Sendable {
    package struct Point: Sendable {
        package let seconds: Double
        package let place: Coordinate

        package init(seconds: Double, place: Coordinate) {
            self.seconds = seconds
            self.place = place
        }
    }

    /// The points by time; two or more.
    package let points: [Point]

    package var store: Coordinate { points[0].place }
    package var door: Coordinate { points[points.count - 1].place }
    package var seconds: Double { points[points.count - 1].seconds }

    package init(_ points: [Point]) {
        precondition(points.count > 1, "A route leads from somewhere to somewhere")
        self.points = points
    }

    /// A synthetic route: from a store in Copenhagen 1,200 m at a bicycle's pace, a fix each ten seconds.
    ///
    /// - Parameter number: another direction for each.
    package static func synthetic(_ number: Int) -> Route {
        let store = place(55.7085, 12.5942)
        let metersPerDegree = 111_195.0
        let angle = Double(number) * 0.7
        let fixes = 30
        let points = (0...fixes).map { index in
            // Two straight legs with a corner between, as streets have it.
            let share = Double(index) / Double(fixes)
            let north = min(share * 2, 1) * cos(angle) * 850
            let east = max(share * 2 - 1, 0) * sin(angle + .pi / 4) * 850
            return Point(
                seconds: Double(index) * 10,
                place: place(
                    store.latitude + north / metersPerDegree,
                    store.longitude + east / (metersPerDegree * cos(store.latitude * .pi / 180))))
        }
        return Route(points)
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("coordinates of Copenhagen are valid")
        }
        return place
    }
}
