extension ArrivalModel {
    /// The model of a service without one of its own: medians over 360 rides by bicycle, 201 by car and 851 by cab.
    ///
    /// Fitted like any model, with no trees; its accuracy is in docs/eta.md.
    public static let builtIn = ArrivalModel(
        rides: 1_412,
        prior: TravelPrior(
            curves: [
                .bicycle: [1, 30, 59, 100, 149, 190, 255, 335, 456, 634, 858, 1_180, 1_776, 2_610, 3_776, 5_443],
                .car: [13, 42, 49, 68, 87, 128, 156, 193, 259, 363, 488, 649, 830, 906, 1_599, 2_399],
                .cab: [50, 51, 52, 65, 97, 122, 155, 201, 275, 347, 466, 600, 788, 984, 1_446, 2_297],
            ],
            hours: [
                .bicycle: [
                    0.83, 0.80, 0.84, 0.90, 0.98, 0.95, 1.09, 1.16, 1.06, 1.03, 0.99, 0.94,
                    0.94, 0.97, 1.00, 0.97, 1.03, 1.11, 1.14, 1.14, 1.12, 1.08, 0.98, 0.89,
                ],
                .car: [
                    0.90, 0.94, 1.00, 1.05, 1.05, 1.01, 1.08, 1.32, 1.27, 1.21, 1.03, 1.04,
                    0.94, 0.85, 0.88, 0.92, 1.00, 1.14, 1.12, 1.09, 0.99, 0.91, 0.89, 0.85,
                ],
                .cab: [
                    0.90, 0.89, 0.87, 0.83, 0.84, 0.86, 0.90, 0.99, 1.03, 1.04, 1.01, 1.01,
                    1.04, 1.06, 1.09, 1.09, 1.10, 1.12, 1.08, 1.04, 0.97, 0.96, 0.93, 0.93,
                ],
            ]),
        regression: QuantileRegression(
            low: RegressionTrees(start: 0.638, trees: []), point: RegressionTrees(start: 1.070, trees: []),
            high: RegressionTrees(start: 1.949, trees: []),
            calibrations: [
                .init(below: 180, low: 1.229, high: 2.931), .init(below: 480, low: 0.954, high: 0.725),
                .init(below: 900, low: 0.850, high: 0.476), .init(below: nil, low: 0.749, high: 0.564),
            ]))
}

extension QuantileRegression {
    /// Predicts the base alone, with a window as wide as untrained initial estimates need.
    static let constant = QuantileRegression(
        low: RegressionTrees(start: 0.6, trees: []), point: RegressionTrees(start: 1, trees: []),
        high: RegressionTrees(start: 1.8, trees: []), calibrations: [])
}

extension DetourFactor {
    /// Medians over the same rides, from their beginning to the door, each band shrunk towards all bands of its mode.
    public static let builtIn = DetourFactor(factors: [
        .bicycle: [1.4, 1.26, 1.2, 1.28], .car: [1.38, 1.43, 1.29, 1.43], .cab: [1.22, 1.28, 1.21, 1.18],
    ])
}

extension LegModel {
    static let builtIn = LegModel(prior: TravelPrior(), couriers: ShrunkFactors([]), regression: .constant)
}

extension OrderModel {
    /// Medians over 6,346 orders.
    static let builtIn = OrderModel(
        placeSeconds: 251, driveSeconds: 541, slackSeconds: 1_829, stores: ShrunkFactors([]), regression: .constant)
}
