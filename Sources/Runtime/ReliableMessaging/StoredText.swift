extension String {
    /// Text that Postgres takes: without NUL characters, and cut to what a person would read.
    var storable: String {
        String(String(unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : Character($0) }).prefix(Self.storedCharactersMax))
    }

    private static var storedCharactersMax: Int { 2_000 }
}
