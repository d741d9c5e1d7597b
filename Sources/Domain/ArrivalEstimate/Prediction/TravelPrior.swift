/// The usual travel time for a distance: a curve for each travel mode, times a factor of the hour.
///
/// `couriers` holds a factor of each courier, for predictions from the distance alone.
public struct TravelPrior: Hashable, Codable, Sendable {
    /// The straight metres of each curve's points; between them it is linear, beyond the last proportional.
    static let knots: [Double] = [
        0, 60, 120, 200, 300, 420, 600, 850, 1_200, 1_700, 2_400, 3_400, 4_800, 6_800, 9_600, 13_600,
    ]
    /// Straight metres a second without training data, medians of whole rides.
    static let speeds: [TravelMode: Double] = [.bicycle: 2.4, .car: 5.0, .cab: 4.7]

    /// Seconds at each knot.
    var curves: [TravelMode: [Double]] = [:]
    /// Factor at each full hour of the local day.
    var hours: [TravelMode: [Double]] = [:]
    /// Factor of each courier with history.
    var couriers: [String: Double] = [:]

    /// The usual travel time in seconds for a straight distance in metres, at any hour.
    func seconds(_ mode: TravelMode, metres: Double) -> Double {
        let knots = Self.knots
        guard let curve = curves[mode], curve.count == knots.count else {
            return Self.plainSeconds(mode, metres: metres)
        }
        guard let next = knots.firstIndex(where: { $0 > metres }), next > 0 else {
            return curve[knots.count - 1] * max(metres, 1) / knots[knots.count - 1]
        }
        let share = (metres - knots[next - 1]) / (knots[next] - knots[next - 1])
        return curve[next - 1] + share * (curve[next] - curve[next - 1])
    }

    /// The travel time in seconds for a straight distance in metres at the mode's usual speed, independent of training.
    static func plainSeconds(_ mode: TravelMode, metres: Double) -> Double { 40 + metres / (speeds[mode] ?? 4) }

    /// The hour's factor, interpolated between full hours; 1 without training data.
    func factor(_ mode: TravelMode, hour: Double) -> Double {
        guard let hours = hours[mode], hours.count == 24 else { return 1 }
        let whole = min(max(hour, 0), 24).rounded(.down)
        let (one, other) = (hours[Int(whole) % 24], hours[(Int(whole) + 1) % 24])
        return one + (min(max(hour, 0), 24) - whole) * (other - one)
    }
}
