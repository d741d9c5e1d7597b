import ArgumentParser
import FaultInjection
import Foundation
import SimulationSupport

/// Injects faults into stacks of real processes, and compares what they show with what they acknowledged.
@main
struct FaultInjectorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault-injector",
        abstract: "Inject faults into a stack of processes under load, and check that nothing is lost or wrong.",
        discussion: "A seed's faults and their times are the same in each run. Leaves with 1 after a violation.")

    @Option(parsing: .upToNextOption, help: "One run each, on a stack of its own.")
    var seeds: [UInt64] = [1]

    @Option(help: "Minutes of faults for each seed, the checks aside.")
    var minutes = 3.0

    @Option(help: "Kills over all seeds, in place of minutes; other faults come beside them.")
    var kills: Int?

    @Option(
        parsing: .upToNextOption,
        help:
            "Only these kinds of faults, to find what causes a violation: \(FaultKind.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var only: [FaultKind] = []

    @Flag(help: "Plant faults in the end, one after another, and fail unless the oracle names each.")
    var trial = false

    @Flag(help: "Print what would be injected, and inject nothing.")
    var planOnly = false

    /// Where the logs of a seed with a violation go.
    private static let keptLogs = ProcessStack.root.appending(path: ".build/faults").path

    func validate() throws {
        if kills != nil, !only.isEmpty, !only.contains(where: \.isKill) {
            throw ValidationError("--kills needs a kind of fault that kills")
        }
    }

    func run() async throws {
        var reports: [RunReport] = []
        for seed in seeds {
            let plan = FaultPlan(seed: seed, length: length, kinds: only.isEmpty ? FaultKind.allCases : only)
            if planOnly {
                print(Self.text(of: plan))
                continue
            }
            do {
                let report = try await SeedRun(plan: plan, keptLogs: Self.keptLogs, isTrial: trial)()
                reports.append(report)
                guard !report.violations.isEmpty else { continue }
                print("seed \(seed): \(report.violations.count) violations; again: \(commandLine(seed))")
            } catch {
                print("seed \(seed) could not be run to its end: \(error)\nagain: \(commandLine(seed))")
                throw ExitCode.failure
            }
        }
        guard !planOnly else { return }
        print("\n\(RunReport.table(reports))")
        if reports.contains(where: { !$0.violations.isEmpty }) { throw ExitCode.failure }
    }

    private var length: FaultPlan.Length {
        guard let kills else { return .minutes(minutes) }
        return .kills((kills + seeds.count - 1) / seeds.count)
    }

    private func commandLine(_ seed: UInt64) -> String {
        let length =
            switch length {
            case .minutes(let minutes): "MINUTES=\(minutes)"
            case .kills(let kills): "KILLS=\(kills)"
            }
        let kinds = only.isEmpty ? "" : " ONLY=\"\(only.map(\.rawValue).joined(separator: " "))\""
        return "make test-faults SEEDS=\(seed) \(length)\(kinds)"
    }

    private static func text(of plan: FaultPlan) -> String {
        plan.rounds.enumerated().flatMap { index, round in
            round.map { "seed \(plan.seed), round \(index + 1), \(String(format: "%5.1f", $0.at)) s  \($0)" }
        }.joined(separator: "\n")
    }
}

extension FaultKind: ExpressibleByArgument {}
