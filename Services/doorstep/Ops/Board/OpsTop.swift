import ArgumentParser
import CommandOutput

/// The board as a screen: the worst on top, and keys to understand and to set right.
struct OpsTop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show deliveries on a live screen, worst on top; same as ops list --watch.",
        discussion: """
            Keys: up and down select, enter explains, a assigns, h holds or releases, s sets a status, l shows late \
            deliveries only, u those that need a courier, / finds, ? lists every key, esc clears the selection and then \
            the filters, q quits. Space marks, c marks all of the selected one's courier: a then gives all marked ones \
            to a courier, after a preview, and z undoes that. The selection follows its delivery; \
            half a minute without a key clears the selection, and the worst is on top again.
            Without a terminal it prints the list once.
            """)

    @OptionGroup var options: BoardOptions

    func run() async throws {
        guard try await !options.showScreen() else { return }
        writeLine(try await BoardPages(options.query(limit: BoardQuery.pageMax)).text())
    }
}
