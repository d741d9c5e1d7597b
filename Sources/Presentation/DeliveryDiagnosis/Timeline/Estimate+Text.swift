internal import OrderDomain
internal import TimePresentation

extension Estimate {
    /// The point and its window: `18:24 (18:20 to 18:31)`.
    func text(_ times: StoreTimes) -> String {
        "\(times.text(arrivesAt)) (\(times.text(from: earliest, to: latest)))"
    }
}
