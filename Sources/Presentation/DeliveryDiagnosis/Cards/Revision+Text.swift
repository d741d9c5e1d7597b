internal import LiveActivity

extension Revision {
    /// `v17`, or `v17.2` where courier-eta has published since.
    var text: String { step == 0 ? "v\(version)" : "v\(version).\(step)" }
}
