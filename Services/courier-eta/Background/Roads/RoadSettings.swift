import ArrivalEstimate

/// The road engine, if any.
///
/// | Key | Type | Unit | Default | Secret |
/// |---|---|---|---|---|
/// | `road.engine` | `none`, `osrm`, `valhalla` | | `none` | no |
/// | `road.url` | `http://` or `https://` address, a path after it where a proxy needs one | | required with an engine | no |
/// | `road.bicycle.url`, `road.car.url` | the same, where each has an engine of its own, as OSRM needs it | | `road.url` | no |
/// | `road.bicycle.profile` | OSRM's profile or Valhalla's costing | | `bike` or `bicycle` | no |
/// | `road.car.profile` | the same | | `car` or `auto` | no |
/// | `road.timeout.seconds` | number; time-out of an answer | s | 0.15 | no |
struct RoadSettings: Hashable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case osrm, valhalla
    }

    struct Engine: Hashable, Sendable {
        let kind: Kind
        var bicycle: EngineEndpoint
        var car: EngineEndpoint
        var timeout: Duration = RoadSettings.timeoutStandard

        func endpoint(for mode: TravelMode) -> EngineEndpoint {
            switch mode {
            case .bicycle: bicycle
            case .car, .cab: car
            }
        }
    }

    /// The address of an engine for one travel mode.
    struct EngineEndpoint: Hashable, Sendable {
        let url: String
        let profile: String
    }

    static let timeoutStandard = Duration.milliseconds(150)

    var engine: Engine?

    init() {}
}
