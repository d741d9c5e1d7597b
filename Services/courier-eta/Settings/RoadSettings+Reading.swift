import Configuration
import Foundation
import ProcessSettings

extension RoadSettings {
    private enum Choice: String, CaseIterable {
        case none, osrm, valhalla
    }

    /// | Key | Type | Unit | Default | Secret |
    /// |---|---|---|---|---|
    /// | `road.engine` | `none`, `osrm`, `valhalla` | | `none` | no |
    /// | `road.url` | `http://` or `https://` address, a path after it where a proxy needs one | | required with an engine | no |
    /// | `road.bicycle.url`, `road.car.url` | the same, where each has an engine of its own, as OSRM needs it | | `road.url` | no |
    /// | `road.bicycle.profile` | OSRM's profile or Valhalla's costing | | `bike` or `bicycle` | no |
    /// | `road.car.profile` | the same | | `car` or `auto` | no |
    /// | `road.timeout.seconds` | number; a slower answer is not waited for | s | 0.15 | no |
    ///
    /// - Throws: ``ConfigurationError``.
    init(reading settings: ConfigReader) throws {
        self.init()
        let kind: Kind
        switch try settings.choice("road.engine", default: Choice.none) {
        case .none:
            for key in ["road.url", "road.bicycle.url", "road.car.url"] where try settings.text(key) != nil {
                throw ConfigurationError(
                    key: key, problem: "is set, but no engine is chosen",
                    fix: "set \(waysToSet("road.engine")) to osrm or valhalla")
            }
            return
        case .osrm: kind = .osrm
        case .valhalla: kind = .valhalla
        }
        let shared = try Self.url("road.url", settings)
        func endpoint(_ vehicle: String, profile: String) throws -> EngineEndpoint {
            guard let url = try Self.url("road.\(vehicle).url", settings) ?? shared else {
                throw ConfigurationError(
                    key: "road.url", problem: "is not set",
                    fix:
                        "set \(waysToSet("road.url")) to where \(kind.rawValue) listens, for example to http://127.0.0.1:5000"
                )
            }
            return EngineEndpoint(url: url, profile: try Self.profile("road.\(vehicle).profile", settings) ?? profile)
        }
        engine = Engine(
            kind: kind, bicycle: try endpoint("bicycle", profile: kind == .osrm ? "bike" : "bicycle"),
            car: try endpoint("car", profile: kind == .osrm ? "car" : "auto"),
            timeout: try settings.seconds("road.timeout.seconds", in: 0.01...2, default: Self.timeoutStandard))
    }

    /// An address without a slash at its end; nil where none is set.
    private static func url(_ key: String, _ settings: ConfigReader) throws -> String? {
        guard let text = try settings.text(key) else { return nil }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil
        else {
            throw ConfigurationError(
                key: key, problem: "is not an address such as http://127.0.0.1:5000, without user, query or fragment",
                fix: "correct \(waysToSet(key))")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func profile(_ key: String, _ settings: ConfigReader) throws -> String? {
        guard let text = try settings.text(key) else { return nil }
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }) else {
            throw ConfigurationError(
                key: key, problem: "is \"\(text)\", not a name of letters, digits, _ and -",
                fix: "correct \(waysToSet(key))")
        }
        return text
    }
}
