internal import LiveActivity

extension Revision {
    /// `version 17`, or `version 17.2` where courier-eta has published since.
    var text: String { step == 0 ? "version \(version)" : "version \(version).\(step)" }
}
