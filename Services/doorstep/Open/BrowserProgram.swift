import CommandOutput
import Foundation

/// The program that shows a page: the one in `BROWSER`, or else the desktop's own.
struct BrowserProgram: Hashable, Sendable {
    /// In the order of preference. A Linux desktop's own needs a display: without one it starts, shows nothing, and its
    /// failure is not noticed.
    #if os(macOS)
        private static let known = [(name: "open", needsDisplay: false)]
    #else
        private static let known = [(name: "xdg-open", needsDisplay: true), (name: "wslview", needsDisplay: false)]
    #endif

    let path: String

    /// - Parameters:
    ///   - environment: `BROWSER`, a program's name or path, `PATH`, and the display, `DISPLAY` or `WAYLAND_DISPLAY`.
    ///   - isExecutable: whether the path is an executable.
    /// - Throws: `CommandFailure` without a program, with a remedy.
    init(environment: [String: String], isExecutable: (String) -> Bool) throws {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        func find(_ name: String) -> String? {
            if name.contains("/") { return isExecutable(name) ? name : nil }
            return folders.map { "\($0)/\(name)" }.first(where: isExecutable)
        }
        let wanted = environment["BROWSER"].map { [$0] } ?? []
        let hasDisplay = [environment["DISPLAY"], environment["WAYLAND_DISPLAY"]].contains { $0?.isEmpty == false }
        let known = Self.known.filter { hasDisplay || !$0.needsDisplay }.map(\.name)
        guard let path = (wanted.filter { !$0.isEmpty } + known).compactMap(find).first else {
            throw CommandFailure(
                .notFound, "no browser was found; set BROWSER to one, or open the link in one by hand")
        }
        self.path = path
    }

    /// Starts it with a page, and does not wait for it.
    func show(_ page: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = [page]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }
}
