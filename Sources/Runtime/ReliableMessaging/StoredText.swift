extension String {
    /// Text that Postgres accepts: without NUL characters, and cut to a readable length.
    var storable: String {
        String(String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }).prefix(Self.storedCharactersMax))
    }

    private static var storedCharactersMax: Int { 2_000 }
}
