import Foundation
public import OrderDomain

extension Coordinate {
    /// The point at this share of the line towards another one near by.
    func towards(_ other: Coordinate, share: Double) -> Coordinate {
        Coordinate(
            clampingLatitude: latitude + share * (other.latitude - latitude),
            longitude: longitude + share * (other.longitude - longitude))
    }

    /// Metres north and east of here, on a plane; accurate for a few kilometres.
    func offset(to other: Coordinate) -> (north: Double, east: Double) {
        (
            (other.latitude - latitude) * Self.degreeMetres,
            (other.longitude - longitude) * Self.degreeMetres * cos(latitude * .pi / 180)
        )
    }

    /// The point at an offset of metres north and east.
    func moved(north: Double, east: Double) -> Coordinate {
        Coordinate(
            clampingLatitude: latitude + north / Self.degreeMetres,
            longitude: longitude + east / Self.degreeMetres / max(0.01, cos(latitude * .pi / 180)))
    }

    /// Metres in a degree of latitude.
    public static let degreeMetres = 111_194.9
}
