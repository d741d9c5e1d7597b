import Messages

/// The form of an archive, written from its beginning to its end.
protocol ArchiveFormat: Sendable {
    var contentType: String { get }
    /// The end of a file's name.
    var fileExtension: String { get }
    var beginning: String { get }
    mutating func begin(_ section: ArchiveSection) -> String
    /// The next record of the section.
    ///
    /// - Parameter record: a JSON object.
    mutating func text(of record: String) -> String
    mutating func end(_ section: ArchiveSection) -> String
    var end: String { get }
}
