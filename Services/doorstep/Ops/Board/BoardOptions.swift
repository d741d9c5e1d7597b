import ArgumentParser
import CommandOutput
import DomainTime
import StackClient

/// The filter of a board.
struct BoardOptions: ParsableArguments {
    @Flag(
        help: "Only deliveries that have missed or will miss their promise, by their estimate or by the usual time.")
    var late = false
    @Flag(help: "Only deliveries whose courier's phone is silent.")
    var silent = false
    @Flag(help: "Only deliveries that an operator reopened or whose courier doubts the hand-over, ended ones too.")
    var disputed = false
    @Flag(help: "Only deliveries that need a courier now: picked or packed without one, or at risk.")
    var unassigned = false
    @Flag(help: "Only deliveries with a card that does not show what it should, ended ones too.")
    var cardsBehind = false
    @Option(help: "Only deliveries in this status, which may be an end.")
    var status: String?
    @Option(help: "Only deliveries of this store.")
    var store: String?
    @Option(help: "Only deliveries of this courier.")
    var courier: String?
    @Option(help: "Only matches, ended ones too: a reference, a customer, a courier's name, a beginning of an id.")
    var search: String?

    func query(limit: Int, cursor: String? = nil) -> BoardQuery {
        BoardQuery(
            isLate: late, isSilent: silent, isDisputed: disputed, isUnassigned: unassigned,
            hasCardsBehind: cardsBehind, status: status, store: store, courier: courier, search: search, limit: limit,
            cursor: cursor)
    }

    func validate() throws {
        try refuseEmpty([("--status", status), ("--store", store), ("--courier", courier), ("--search", search)])
        guard !silent || !disputed else {
            throw ValidationError("Name one of --silent and --disputed: a list is of one flag.")
        }
    }

    /// Shows the board as a screen until the person leaves.
    ///
    /// - Returns: false off a terminal, and on one that cannot move its cursor.
    func showScreen() async throws -> Bool {
        guard OutputStyle.ofOutput(isPlain: false).hasScreen, let terminal = ScreenTerminal() else { return false }
        try await query(limit: 1).check()
        let screen = BoardScreen(hasColors: OutputStyle.ofOutput(isPlain: false).hasColors)
        let clock = try await Stack().clock()
        let session = BoardSession(
            query(limit: BoardQuery.pageMax), clock: clock, actions: try .services(clock: clock)
        ) { state in
            terminal.draw { screen.rows(state, size: $0) }
        }
        try await terminal.use { try await BoardRun(session: session).run(keys: terminal.keys) }
        return true
    }
}
