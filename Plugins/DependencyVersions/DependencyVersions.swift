import Foundation
import PackagePlugin

/// Generates a source file that lists the version of each package that the build resolved.
///
/// The versions differ from build to build within the bounds of Package.swift, so the executable has to carry its own.
@main
struct DependencyVersions: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let versions = versions(of: context.package.dependencies)
        let rows = versions.sorted { $0.key < $1.key }.map { "        (\"\($0.key)\", \"\($0.value)\"),\n" }.joined()
        let source = """
            /// The packages that this executable was built from, by name.
            enum DependencyVersions {
                static let all: [(package: String, version: String)] = [
            \(rows)    ]
            }

            """
        let file = context.pluginWorkDirectoryURL.appending(path: "DependencyVersions.swift")
        return [
            .buildCommand(
                displayName: "Listing the versions of dependencies", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", "printf '%s' \"$1\" >\"$2\"", "sh", source, file.path], outputFiles: [file])
        ]
    }

    /// Those of packages out of a repository, with what they depend on in turn.
    private func versions(of dependencies: [PackageDependency]) -> [String: String] {
        var versions: [String: String] = [:]
        for package in dependencies.map(\.package) {
            if case .repository(_, let version, _) = package.origin { versions[package.id] = version }
            versions.merge(self.versions(of: package.dependencies)) { first, _ in first }
        }
        return versions
    }
}
