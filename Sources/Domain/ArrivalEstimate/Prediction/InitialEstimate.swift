/// The expected duration of a leg or an order in seconds, before its first fix.
public struct InitialEstimate: Hashable, Sendable {
    public let seconds: Double
    /// An 80 % prediction interval.
    public let low: Double
    public let high: Double

    /// Upper bounds in predicted seconds of the bands in which intervals are calibrated.
    static let bands: [Double?] = [1_200, 2_400, nil]

    init(_ prediction: QuantileRegression.Prediction) {
        seconds = prediction.point
        low = prediction.low
        high = prediction.high
    }
}
