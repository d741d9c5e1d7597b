import ArrivalEstimate

/// The road engine, if any.
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
}
