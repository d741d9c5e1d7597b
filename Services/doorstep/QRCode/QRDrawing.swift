/// A code as lines of text for a terminal: two squares in each character, one above the other.
struct QRDrawing: Sendable {
    let code: QRCode
    /// Whether the terminal writes dark on light; most write light on dark.
    var isOnLight = false

    var columns: Int { code.size + 2 * QRCode.quietModules }
    var rows: Int { (columns + 1) / 2 }

    /// Whether the whole of it can be seen at once.
    func fits(_ terminal: TerminalSize?) -> Bool {
        guard let terminal else { return true }
        return columns <= terminal.columns && rows <= terminal.rows
    }

    /// Each as long as the code is wide, with its quiet border.
    var lines: [String] {
        let border = QRCode.quietModules
        return stride(from: -border, to: code.size + border, by: 2).map { y in
            String((-border..<code.size + border).map { x in character(x, y) })
        }
    }

    /// Draws the light modules on a dark terminal, and the dark ones on a light terminal.
    private func character(_ x: Int, _ y: Int) -> Character {
        let isUpper = code.isDark(x: x, y: y) == isOnLight
        // Below the last row of an odd number is nothing, which is left as it is.
        let isInside = y + 1 < code.size + QRCode.quietModules
        let isLower = isInside && code.isDark(x: x, y: y + 1) == isOnLight
        return switch (isUpper, isLower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
