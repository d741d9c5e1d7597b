internal import ArgumentParser

/// Whether a command prints text for people or JSON for programs.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: one object; a list has a line for each entry, or for a page of it.")
    package var json = false

    package init() {}

    /// Prints one answer as JSON or as text; the other of the two is not made.
    package func show<JSON: Sequence<UInt8>>(
        json bytes: @autoclosure () async throws -> JSON, text: @autoclosure () async throws -> String
    ) async rethrows {
        if json { writeJSON(try await bytes()) } else { writeLine(try await text()) }
    }
}
