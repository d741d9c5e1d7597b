import ArrivalEstimate
import Foundation
import OrderDomain

/// A model of the size of one trained on a shop's own rides, from synthetic rides.
///
/// Only the cost of its estimates matters here, not their quality.
enum LearnedModel {
    private static let rides = 60
    /// Seconds between a ride's fixes.
    private static let interval = 15.0

    /// Fits the model and installs it as the newest one of a stack.
    static func install(on stack: Stack) throws {
        let model = try ArrivalModel.fit((0..<rides).map(ride))
        let json = String(decoding: try model.json(), as: UTF8.self).replacing("'", with: "''")
        let file = FileManager.default.temporaryDirectory.appending(path: "doorstep-bench-model-\(UUID()).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(
            """
            INSERT INTO courier_eta.estimate_models (format, rides, model)
            VALUES (\(ArrivalModel.format), \(model.rides), '\(json)');
            """.utf8
        ).write(to: file)
        try stack.execute(scriptAt: file.path)
    }

    /// Rides of different lengths, speeds and bends, the same in every run.
    private static func ride(_ number: Int) -> RecordedRide {
        let since = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 5_000)
        let metres = 1_000 + Double(number * 37 % 60) * 120
        let speed = 3 + Double(number * 13 % 20) / 6
        let seconds = metres / speed
        func place(_ share: Double) -> Coordinate {
            let bend = sin(share * .pi) * Double(number % 7) / 1_500
            return Coordinate(
                clampingLatitude: CourierFleet.storeLatitude - share * metres / CourierFleet.metersPerDegree,
                longitude: CourierFleet.longitude + bend)
        }
        let fixes = stride(from: 0, through: seconds, by: interval).map { second in
            // Slower at first and at the end, by another share in each ride.
            let share = second / seconds
            let eased = share + sin(share * 2 * .pi) * Double(number % 5) / 60
            return Fix(time: since + second, place: place(eased), accuracy: 10, speed: speed)
        }
        return RecordedRide(
            courier: "courier \(number % 12)", mode: .bicycle, utcOffset: 3_600, origin: place(0), since: since,
            door: place(1), arrivedAt: since + seconds, fixes: fixes)
    }
}
