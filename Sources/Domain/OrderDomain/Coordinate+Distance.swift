import Foundation

extension Coordinate {
    /// Metres along the great circle, by the haversine formula on a sphere of 6,371,008.8 m.
    public func distance(to other: Coordinate) -> Double {
        let radians = Double.pi / 180
        let north = (other.latitude - latitude) * radians
        let east = (other.longitude - longitude) * radians
        let chord =
            pow(sin(north / 2), 2)
            + cos(latitude * radians) * cos(other.latitude * radians) * pow(sin(east / 2), 2)
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }
}
