package import Foundation
import Synchronization

extension BrowserPage {
    /// A failed screenshot.
    package struct ScreenshotError: Error, CustomStringConvertible {
        package let description: String
    }

    private struct LayoutMetrics: Decodable {
        struct Content: Decodable {
            let height: Double
        }

        struct Viewport: Decodable {
            let clientWidth: Double
        }

        let cssContentSize: Content
        let cssLayoutViewport: Viewport
    }

    private struct Capture: Encodable {
        struct Clip: Encodable {
            let x = 0
            let y = 0
            let width: Double
            let height: Double
            let scale = 1
        }

        let format = "png"
        let captureBeyondViewport = true
        let clip: Clip
    }

    private struct Picture: Decodable {
        let data: String
    }

    /// Writes a picture of the page, as wide as its window and down to the page's end, as a PNG file.
    ///
    /// - Parameters:
    ///   - file: is replaced; folders that lack are made.
    ///   - size: of the page while it is pictured; nil for the size that it has.
    package func screenshot(to file: URL, at size: ViewportSize? = nil) async throws {
        let former = askedSize.withLock { $0 }
        if let size { try await resize(to: size) }
        let png = try await capture()
        if size != nil { try await resize(to: former) }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try png.write(to: file)
    }

    private func capture() async throws -> Data {
        let metrics = try await devTools("Page.getLayoutMetrics", NoParameters(), as: LayoutMetrics.self)
        let clip = Capture.Clip(width: metrics.cssLayoutViewport.clientWidth, height: metrics.cssContentSize.height)
        let picture = try await devTools("Page.captureScreenshot", Capture(clip: clip), as: Picture.self)
        guard let png = Data(base64Encoded: picture.data) else {
            throw ScreenshotError(description: "the picture is no Base64: \(picture.data.prefix(40))")
        }
        return png
    }
}
