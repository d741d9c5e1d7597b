/// The version of every executable of this repository, as `--version` prints it.
public enum Version {
    /// Semantic version; equal to the newest heading of CHANGELOG.md.
    public static let current = "0.34.1"
}
