import Foundation
import ProcessSettings
import ServiceRuntime
import Testing
import TileArchive
import WebPages

@testable import Desk

@Suite("Settings of the map")
struct MapSettingsTests {
    /// A file of images of four zooms, as another program wrote it.
    static var sample: String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Clients/TileArchiveTests/Samples/four-zooms.pmtiles").standardizedFileURL.path
    }

    private func read(_ environment: [String: String]) async throws -> MapSettings {
        try MapSettings(reading: try await readSettings(service: "desk", arguments: [], environment: environment))
    }

    @Test("Without a setting the map has no background")
    func none() async throws {
        let map = try await read([:])
        #expect(map.images.archive == nil && map.images.origin == nil && map.values.isEmpty)
    }

    @Test("A file of images is served by the desk, with the makers that it names, or others that are set")
    func file() async throws {
        let map = try await read(["DESK_TILES_FILE": Self.sample])
        let archive = try #require(map.images.archive)
        #expect(map.images.origin == nil && map.attribution == "© Sample Mappers")
        #expect(map.values["tiles"] as? String == "/map/tiles/{z}/{x}/{y}?of=\(archive.version)")
        #expect(map.values["zooms"] as? String == "0 3" && map.values["bounds"] as? String == "55.6 12.5 55.75 12.7")
        let other = try await read(["DESK_TILES_FILE": Self.sample, "DESK_TILES_ATTRIBUTION": "© Us"])
        #expect(other.attribution == "© Us")
    }

    @Test("A tile server is the only other origin of the map's images")
    func server() async throws {
        let map = try await read([
            "DESK_TILES_URL": "https://tiles.example.com:8443/{z}/{x}/{y}.png", "DESK_TILES_ATTRIBUTION": "© Them",
        ])
        #expect(map.images.origin == "https://tiles.example.com:8443" && map.images.archive == nil)
    }

    @Test("A start is refused with the file and the reason")
    func refused() async throws {
        let text = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pmtiles")
        try Data("no map".utf8).write(to: text)
        defer { try? FileManager.default.removeItem(at: text) }  // The test does not depend on it.
        let cases = [
            (["DESK_TILES_FILE": "/nowhere/town.pmtiles"], "names /nowhere/town.pmtiles, which cannot be read"),
            (["DESK_TILES_FILE": text.path], "names \(text.path), which is no PMTiles file"),
            (
                ["DESK_TILES_FILE": Self.sample, "DESK_TILES_URL": "https://tiles.example.com/{z}/{x}/{y}"],
                "desk.tiles.url too"
            ),
        ]
        for (environment, reason) in cases {
            let error = await #expect(throws: ConfigurationError.self) { try await read(environment) }
            #expect(error?.key == "desk.tiles.file" && error?.problem.contains(reason) == true)
        }
    }
}
