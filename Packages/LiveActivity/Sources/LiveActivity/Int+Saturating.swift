extension Int {
    /// The sum, or the nearest number that there is: a phone decodes whatever it is sent.
    func addingSaturating(_ other: Int) -> Int {
        let (sum, hasOverflowed) = addingReportingOverflow(other)
        return hasOverflowed ? (other < 0 ? .min : .max) : sum
    }
}
