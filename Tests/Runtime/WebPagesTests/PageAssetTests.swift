import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import WebPages

@Suite("Files that pages load")
struct PageAssetTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Runtime/WebPages/Assets/vendored")

    private struct Vendored: Decodable {
        let file: String
        let name: String
        let version: String
        let licence: String
        let source: String
        let sha384: String
    }

    @Test("Each vendored file is what its manifest says, and its compressed form is the same file")
    func manifest() async throws {
        let entries = try JSONDecoder().decode(
            [Vendored].self, from: Data(contentsOf: Self.folder.appending(path: "manifest.json")))
        let scripts = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            $0.hasSuffix(".js") || $0.hasSuffix(".css")
        }
        #expect(Set(entries.map(\.file)) == Set(scripts) && !entries.isEmpty)
        for entry in entries {
            let bytes = try Data(contentsOf: Self.folder.appending(path: entry.file))
            #expect(Data(SHA384.hash(data: bytes)).base64EncodedString() == entry.sha384, "\(entry.file)")
            let gzipped = try Data(contentsOf: Self.folder.appending(path: entry.file + ".gz"))
            #expect(try await ChildProcess.run("gzip", ["-dc"], input: gzipped).output == bytes, "\(entry.file)")
            let asset = try #require(PageAsset.all.first { $0.integrity == "sha384-" + entry.sha384 })
            #expect(asset.bytes.map { Data($0) == bytes } ?? true)
            #expect(Data(asset.gzipped ?? []) == gzipped)
        }
    }

    @Test("A file's path changes with its content, and no two have the same")
    func paths() {
        #expect(PageAsset("a.css", "text/css", [1]).path != PageAsset("a.css", "text/css", [2]).path)
        #expect(Set(PageAsset.all.map(\.path)).count == PageAsset.all.count)
    }

    @Test("It is served for good, compressed for whoever takes that")
    func served() async throws {
        let router = Router()
        PageAsset.addRoutes(to: router)
        try await Application(router: router).test(.router) { client in
            for asset in PageAsset.all {
                let plain = try await client.execute(uri: asset.path, method: .get)
                #expect(plain.status == .ok && plain.headers[.contentType] == asset.contentType)
                // A service worker is asked about anew, under one name for good.
                let isWorker = asset.path == "/assets/worker.js"
                #expect(
                    plain.headers[.cacheControl] == (isWorker ? "no-cache" : "public, max-age=31536000, immutable"))
                #expect((plain.headers[try #require(.init("Service-Worker-Allowed"))] != nil) == isWorker)
                #expect(Array(plain.body.readableBytesView) == asset.bytes ?? asset.gzipped)
                let small = try await client.execute(
                    uri: asset.path, method: .get, headers: [.acceptEncoding: "br, gzip"])
                #expect(small.headers[.contentEncoding] == (asset.gzipped == nil ? nil : "gzip"))
                #expect(Array(small.body.readableBytesView) == asset.gzipped ?? asset.bytes)
            }
            let missing = try await client.execute(uri: "/assets/pages.css", method: .get)
            #expect(missing.status == .notFound)
        }
    }

    @Test("Everything that a first page loads is at most 60 KiB")
    func size() {
        let first = PageAsset.liveScripts + [.style, .icon(of: "blue")]
        let bytes = first.reduce(0) { $0 + ($1.gzipped ?? $1.bytes ?? []).count }
        // Beside the page itself, which is some 6 KB.
        #expect(bytes <= 52 * 1_024, "\(bytes)")
    }
}
