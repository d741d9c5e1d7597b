/// A grid of streets around the store and the door of an open delivery, for the desk's map.
enum MadeUpStreets {
    static let attribution = "Made-up streets"

    static var geoJSON: String {
        let (south, north, west, east) = (55.686, 55.716, 12.535, 12.61)
        func line(_ from: (Double, Double), _ to: (Double, Double)) -> String {
            """
            {"type":"Feature","properties":{},"geometry":{"type":"LineString","coordinates":\
            [[\(from.0),\(from.1)],[\(to.0),\(to.1)]]}}
            """
        }
        let lines = (0...15).flatMap { step -> [String] in
            let part = Double(step) / 15
            let (latitude, longitude) = (south + (north - south) * part, west + (east - west) * part)
            return [line((west, latitude), (east, latitude)), line((longitude, south), (longitude, north))]
        }
        return """
            {"type":"FeatureCollection","attribution":"\(attribution)","features":[\(lines.joined(separator: ","))]}
            """
    }
}
