import Foundation
import Synchronization

/// The phones' time: runs at a rate from where it was set, and can be stopped and moved, forwards only.
///
/// Providers' tokens live by another time, ``serviceTime``: the wall clock, ahead by what a script asks for.
final class EmulatorClock: Sendable {
    private struct Setting {
        var base: Double
        var wallBase: Double
        var rate: Double
        var serviceSkewSeconds = 0
    }

    private let setting: Mutex<Setting>
    private let wall: @Sendable () -> Double

    /// - Parameter wall: epoch seconds of the wall clock; tests pass one that they move by hand.
    init(
        rate: Double = 1, origin: Double? = nil, wallOrigin: Double? = nil,
        wall: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.wall = wall
        let wallBase = wallOrigin ?? wall()
        setting = Mutex(Setting(base: origin ?? wallBase, wallBase: wallBase, rate: rate))
    }

    /// The phones' time, epoch seconds.
    var now: Int {
        let wall = wall()
        return setting.withLock { Int(($0.base + (wall - $0.wallBase) * $0.rate).rounded(.down)) }
    }

    /// The time that providers' tokens are checked against, epoch seconds.
    var serviceTime: Int { Int(wall().rounded(.down)) + setting.withLock(\.serviceSkewSeconds) }

    var rate: Double { setting.withLock(\.rate) }

    /// Sets the phones' time or its rate; a rate of 0 stops it.
    ///
    /// - Returns: false where the time would go back.
    func set(now time: Int? = nil, rate: Double? = nil, serviceSkewSeconds: Int? = nil) -> Bool {
        let wall = wall()
        return setting.withLock { setting in
            let present = setting.base + (wall - setting.wallBase) * setting.rate
            if let time, Double(time) < present.rounded(.down) { return false }
            setting.base = time.map(Double.init) ?? present
            setting.wallBase = wall
            setting.rate = rate ?? setting.rate
            setting.serviceSkewSeconds = serviceSkewSeconds ?? setting.serviceSkewSeconds
            return true
        }
    }
}
