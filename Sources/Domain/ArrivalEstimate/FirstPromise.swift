/// Seconds that a delivery is expected to take before there is anything to see of it.
public struct FirstPromise: Hashable, Sendable {
    public let seconds: Double
    /// A window that holds the truth with a chance of 80 %.
    public let low: Double
    public let high: Double

    /// Bands of predicted seconds in which windows are checked.
    static let bands: [Double?] = [1_200, 2_400, nil]

    init(_ prediction: QuantileRegression.Prediction) {
        seconds = prediction.point
        low = prediction.low
        high = prediction.high
    }
}
