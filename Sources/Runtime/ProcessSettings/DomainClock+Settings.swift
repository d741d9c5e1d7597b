package import Configuration
package import DomainTime
internal import Foundation

extension DomainClock {
    /// The clock that a stack shares, from `clock.origin`, `clock.wall.origin` and `clock.rate`.
    ///
    /// - Throws: ``ConfigurationError``, above all for a rate other than 1, or a time that is not the wall's, in production.
    package init(reading settings: ConfigReader) throws {
        let rate = try settings.positiveNumber("clock.rate", default: 1)
        if rate != 1, try !settings.deploymentEnvironment().allowsSamples {
            throw ConfigurationError(
                key: "clock.rate", problem: "is \(rate), and only 1 is allowed in production",
                fix: "remove it, or set \(waysToSet("environment")) to demo or test")
        }
        guard let origin = try settings.time("clock.origin") else {
            guard rate == 1 else {
                throw ConfigurationError(
                    key: "clock.origin", problem: "is not set, and a rate of \(rate) needs it",
                    fix: "set \(waysToSet("clock.origin")) to the same time in every process of the stack")
            }
            self = .wall
            return
        }
        let wallOrigin = try settings.time("clock.wall.origin") ?? origin
        if origin != wallOrigin, try !settings.deploymentEnvironment().allowsSamples {
            throw ConfigurationError(
                key: "clock.origin", problem: "is not the same time as clock.wall.origin, as production needs it",
                fix: "remove both, or set \(waysToSet("environment")) to demo or test")
        }
        self.init(origin: origin, wallOrigin: wallOrigin, rate: rate)
    }
}
