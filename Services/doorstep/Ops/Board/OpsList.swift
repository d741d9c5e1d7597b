import ArgumentParser
import CommandOutput
import Foundation

/// Prints the board: counts of faults, then deliveries, worst first.
struct OpsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List deliveries, worst first, after their counts.",
        discussion: """
            A terminal shows one page of 40 unless --limit changes that; a file or a pipe receives all pages. --json \
            prints one page, as one object.
            """)

    @OptionGroup var options: BoardOptions
    @Option(help: "Deliveries on a page, 1 to 100.")
    var limit: Int?
    @Option(help: "The cursor of the next page.")
    var cursor: String?
    @Flag(help: "A screen with keys, as ops top; without a terminal, print the list every two seconds.")
    var watch = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try refuseEmpty([("--cursor", cursor)])
    }

    func run() async throws {
        if watch, !output.json, try await options.showScreen() { return }
        let isWhole = limit == nil && cursor == nil && isatty(STDOUT_FILENO) == 0
        let standard = isWhole && !output.json ? BoardQuery.pageMax : 40
        let pages = try await BoardPages(options.query(limit: limit ?? standard, cursor: cursor))
        guard watch else { return try await show(pages, isWhole: isWhole) }
        try await RepeatedRead.run { try await show(pages, isWhole: isWhole) }
    }

    private func show(_ pages: BoardPages, isWhole: Bool) async throws {
        try await output.show(json: await pages.page(), text: await pages.text(isWhole: isWhole))
    }
}
