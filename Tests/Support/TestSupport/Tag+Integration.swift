package import Testing

extension Tag {
    /// On every test that talks to another process.
    @Tag package static var integration: Self
}
