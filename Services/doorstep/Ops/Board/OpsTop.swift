import ArgumentParser
import CommandOutput

/// The board as a screen: the worst on top, and keys to understand and to set right.
struct OpsTop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "The deliveries as a screen, worst on top, with keys; ops list --watch is the same.",
        discussion: """
            Keys: up and down select, enter says why, a assigns, h holds or releases, s sets a status, l shows the late \
            only, u those without a courier, / finds, q quits. What is selected stays selected wherever it moves to; \
            half a minute without a key selects nothing, and the worst is on top again.
            Off a terminal it prints the list once.
            """)

    @OptionGroup var options: BoardOptions

    func run() async throws {
        guard try await !options.showScreen() else { return }
        writeLine(try await BoardPages(options.query(limit: BoardQuery.pageMax)).text())
    }
}
