import Foundation

/// Streets out of a file of GeoJSON (RFC 7946), as the map draws them: lines and their names, and nothing else of it.
struct StreetsFile: Sendable {
    static let bytesMax = 20 * 1_024 * 1_024
    static let pointsMax = 200_000

    /// Why a file is rejected, with its fault.
    struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// GeoJSON again, with coordinates to a metre.
    let geoJSON: [UInt8]
    /// The file's author, from `attribution` or `license`.
    let attribution: String?

    private struct Collection: Decodable {
        let type: String
        let features: [Feature]
        let attribution: String?
        let license: String?
    }

    private struct Feature: Decodable {
        struct Geometry: Decodable {
            let type: String
            let lines: [[[Double]]]

            private enum CodingKeys: String, CodingKey { case type, coordinates }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                type = try container.decode(String.self, forKey: .type)
                switch type {
                case "LineString": lines = [try container.decode([[Double]].self, forKey: .coordinates)]
                case "MultiLineString": lines = try container.decode([[[Double]]].self, forKey: .coordinates)
                default: lines = []
                }
            }
        }
        let geometry: Geometry
    }

    private struct Compact: Encodable {
        struct Feature: Encodable {
            struct Geometry: Encodable {
                let type = "MultiLineString"
                let coordinates: [[[Double]]]
            }
            let type = "Feature"
            let properties: [String: String] = [:]
            let geometry: Geometry
        }
        let type = "FeatureCollection"
        let features: [Feature]
    }

    /// - Throws: ``Fault``.
    init(contentsOf path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Fault(description: "names \(path), which cannot be read")
        }
        do { try self.init(data) } catch let fault as Fault {
            throw Fault(description: "names \(path), which \(fault.description)")
        }
    }

    /// - Throws: ``Fault``.
    init(_ data: Data) throws {
        guard data.count <= Self.bytesMax else { throw Fault(description: "is larger than \(Self.bytesMax) bytes") }
        // `Fault` names the expected document; the settings add the file's path.
        guard let collection = try? JSONDecoder().decode(Collection.self, from: data),
            collection.type == "FeatureCollection"
        else { throw Fault(description: "is no GeoJSON FeatureCollection") }
        let lines = collection.features.flatMap(\.geometry.lines)
        guard !lines.isEmpty else { throw Fault(description: "has no LineString in it") }
        guard lines.reduce(0, { $0 + $1.count }) <= Self.pointsMax else {
            throw Fault(description: "has more than \(Self.pointsMax) points; leave out what nobody rides on")
        }
        for point in lines.joined() {
            guard point.count >= 2, (-180...180).contains(point[0]), (-90...90).contains(point[1]) else {
                throw Fault(description: "has the point \(point), which is not longitude and latitude")
            }
        }
        let rounded = lines.map { $0.map { [Self.rounded($0[0]), Self.rounded($0[1])] } }
        let compact = Compact(features: [.init(geometry: .init(coordinates: rounded))])
        geoJSON = [UInt8](try JSONEncoder().encode(compact))
        attribution = collection.attribution ?? collection.license
    }

    /// Rounds to five decimals, about a metre.
    private static func rounded(_ degrees: Double) -> Double { (degrees * 100_000).rounded() / 100_000 }
}
