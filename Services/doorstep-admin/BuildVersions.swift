import ArgumentParser
import CommandOutput
import DoorstepAPI

/// Prints this version and those of its packages: `doorstep-admin --version --verbose`.
struct BuildVersions: ParsableCommand {
    static let name = "build-versions"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    static var lines: [String] {
        ["doorstep \(Version.current)"] + DependencyVersions.all.map { "\($0.package) \($0.version)" }
    }

    func run() { writeLine(Self.lines.joined(separator: "\n")) }
}
