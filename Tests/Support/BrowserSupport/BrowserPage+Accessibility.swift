import Foundation

/// A rule of accessibility that a page breaks, as axe-core names it.
package struct AxeViolation: Decodable, Sendable, CustomStringConvertible {
    /// The rule, such as `image-alt`.
    package let id: String
    /// The rule's requirement, in a sentence.
    package let help: String
    /// CSS selectors of the elements that break it.
    package let targets: [String]

    package var description: String { "\(id): \(help): \(targets.joined(separator: ", "))" }
}

/// Why pages cannot be checked.
package struct AxeUnavailable: Error, CustomStringConvertible {
    package let description: String
}

extension BrowserPage {
    /// The rules of accessibility that the page breaks as it is now.
    ///
    /// - Throws: ``AxeUnavailable`` where there is no axe-core, which `make test-browser` fetches.
    package func violations() async throws -> [AxeViolation] {
        if try await execute("return typeof axe === 'undefined'", as: Bool.self) {
            try await execute(try Self.axe())
        }
        return try await execute(
            """
            return axe.run(document, { resultTypes: ['violations'] }).then(results =>
                results.violations.map(({ id, help, nodes }) =>
                    ({ id, help, targets: nodes.map(node => node.target.flat().join(' ')) })))
            """, as: [AxeViolation].self)
    }

    /// The text of axe-core's script.
    private static func axe() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path =
            ProcessInfo.processInfo.environment["DOORSTEP_AXE_FILE"]
            ?? root.appending(path: ".build/browser/axe.min.js").path
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw AxeUnavailable(description: "no axe-core at \(path): `make test-browser` fetches it")
        }
        return text
    }
}
