import Foundation

/// The origins at which customers, couriers, operators and providers reach a stack, as its settings give them.
struct PublicOrigins: Sendable {
    private static let variables = ["LINKS_ORIGIN", "COURIERS_ORIGIN", "DESK_ORIGIN", "PARTNERS_ORIGIN"]

    private let given: [(variable: String, origin: String)]
    private let isProduction: Bool

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        given = Self.variables.compactMap { variable in
            environment[variable].flatMap { $0.isEmpty ? nil : (variable: variable, origin: $0) }
        }
        isProduction = ["", "production"].contains(environment["ENVIRONMENT"] ?? "")
    }

    /// The finding about the origins; nil where no setting gives one.
    var finding: DoctorFinding? {
        guard !given.isEmpty else { return nil }
        let unreachable = isProduction ? given.filter { Self.isOfThisMachine($0.origin) } : []
        guard !unreachable.isEmpty else {
            return .well("origins", given.map(\.origin).joined(separator: ", "))
        }
        let list = unreachable.map { "\($0.variable) is \($0.origin)" }.joined(separator: ", ")
        let variables = unreachable.map { "DOORSTEP_\($0.variable)" }.joined(separator: ", ")
        return .wrong(
            "origins", "\(list), which only this machine reaches: links open nowhere else",
            fix: "set \(variables) in .env to public addresses, or DOORSTEP_ENVIRONMENT=demo for a trial here")
    }

    private static func isOfThisMachine(_ origin: String) -> Bool {
        guard let host = URLComponents(string: origin)?.host?.lowercased() else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "0.0.0.0"
            || ["::1", "[::1]"].contains(host)
    }
}
