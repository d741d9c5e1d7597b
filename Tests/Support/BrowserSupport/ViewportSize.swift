import Synchronization

/// The size of a page's visible part, in CSS pixels.
package struct ViewportSize: Encodable, Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// Whether it is laid out as on a phone, by its `viewport` element.
    package let isMobile: Bool

    package init(width: Int, height: Int, isMobile: Bool = false) {
        self.width = width
        self.height = height
        self.isMobile = isMobile
    }

    private enum CodingKeys: String, CodingKey {
        case width, height, deviceScaleFactor
        case isMobile = "mobile"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(width, forKey: .width)
        try container.encode(height, forKey: .height)
        try container.encode(1, forKey: .deviceScaleFactor)
        try container.encode(isMobile, forKey: .isMobile)
    }
}

extension BrowserPage {
    /// Gives the page another size, also one that is narrower than a window can be; nil for that of the window, which is
    /// 1280 wide.
    package func resize(to size: ViewportSize?) async throws {
        if let size {
            try await devTools("Emulation.setDeviceMetricsOverride", size)
        } else {
            try await devTools("Emulation.clearDeviceMetricsOverride")
        }
        askedSize.withLock { $0 = size }
    }
}
