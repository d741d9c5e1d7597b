/// The set-up of a courier's own page on a phone, without an app.
struct PageSetUp: Hashable, Sendable {
    /// The link that the phone opens or scans.
    let link: String

    /// - Parameters:
    ///   - link: as `orders` made it.
    ///   - token: the phone's credential, with which the page may share the position; nil for a page that shares none.
    ///     It is behind a #, which no server is sent.
    init(link: String, token: String? = nil) {
        self.link = link + (token.map { "#t=\($0)" } ?? "")
    }

    private var code: QRCode? { QRCode(Array(link.utf8), correction: .low) }

    /// - Parameter terminal: nil where the output is not a terminal, and any code fits.
    func text(hasCode: Bool, isOnLight: Bool, on terminal: TerminalSize?) -> String {
        var lines = [
            "The courier's page, for any phone", "  1. Scan the code with the camera, or open the link on the phone.",
            "  2. Keep it on the home screen: it stays the same.",
        ]
        if hasCode, let code {
            let drawing = QRDrawing(code: code, isOnLight: isOnLight)
            lines +=
                [""]
                + (drawing.fits(terminal)
                    ? drawing.lines
                    : [
                        "  Its code needs \(drawing.columns) columns and \(drawing.rows) rows: enlarge the terminal, "
                            + "or send the phone the link below."
                    ])
        }
        return (lines + ["", link]).joined(separator: "\n")
    }
}
