import NIOPosix
import TileArchive

/// Reads images of the map's file, on threads that may wait for a disk.
struct ReadTile: Sendable {
    let archive: TileArchive

    /// An image; nil where the file has none there.
    ///
    /// - Throws: ``TileArchive/Fault``.
    func callAsFunction(zoom: Int, column: Int, row: Int) async throws -> [UInt8]? {
        let archive = archive
        return try await NIOThreadPool.singleton.runIfActive {
            try archive.image(zoom: zoom, column: column, row: row)
        }
    }
}
