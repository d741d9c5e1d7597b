internal import Crypto
internal import Foundation

/// A file that pages load from their own origin, under a name that contains a hash of the content.
package struct PageAsset: Sendable {
    /// The asset's path; its content never changes, except for a service worker's.
    package let path: String
    package let contentType: String
    /// The hash that a browser checks before it runs the asset (Subresource Integrity); empty for a file that another
    /// version of the service may write otherwise under the same path.
    package let integrity: String
    /// Nil for a file stored compressed alone: a large file then compiles in a quarter of the time.
    package let bytes: [UInt8]?
    /// The gzipped content; nil for a small asset.
    package let gzipped: [UInt8]?
    /// The path below which it may be a service worker; nil for other assets.
    let workerScope: String?
}

extension PageAsset {
    /// - Parameter name: with its extension, such as `pages.css`.
    init(_ name: String, _ contentType: String, _ bytes: [UInt8], gzipped: [UInt8]? = nil) {
        self.init(name, contentType, digest: Array(SHA384.hash(data: bytes)), bytes: bytes, gzipped: gzipped)
    }

    /// A file that is stored compressed alone.
    ///
    /// - Parameter sha384: of the uncompressed file, in base64, as in the manifest of vendored files.
    private init(_ name: String, _ contentType: String, gzipped: [UInt8], sha384: String) {
        let digest = Data(base64Encoded: sha384).map { Array($0) } ?? []
        self.init(name, contentType, digest: digest, bytes: nil, gzipped: gzipped)
    }

    private init(_ name: String, _ contentType: String, digest: [UInt8], bytes: [UInt8]?, gzipped: [UInt8]?) {
        let parts = name.split(separator: ".", maxSplits: 1)
        let mark = digest.prefix(6).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        self.init(
            path: "/assets/\(parts[0]).\(mark).\(parts[1])", contentType: contentType,
            integrity: "sha384-" + Data(digest).base64EncodedString(), bytes: bytes, gzipped: gzipped, workerScope: nil)
    }

    /// A file that a service makes or keeps, under a path that names what it is made of.
    package init(at path: String, _ contentType: String, _ bytes: [UInt8]) {
        self.init(path: path, contentType: contentType, integrity: "", bytes: bytes, gzipped: nil, workerScope: nil)
    }

    /// A service worker, under a name of its own for good: browsers ask there whether there is a newer one.
    private init(workerFor scope: String, _ contentType: String, _ bytes: [UInt8]) {
        self.init(
            path: "/assets/worker.js", contentType: contentType, integrity: "", bytes: bytes, gzipped: nil,
            workerScope: scope)
    }
}

extension PageAsset {
    private static let script = "text/javascript; charset=utf-8"
    private static let stylesheet = "text/css; charset=utf-8"

    package static let style = PageAsset("pages.css", stylesheet, PackageResources.pages_css)
    package static let htmx = PageAsset(
        "htmx.js", script, PackageResources.htmx_js, gzipped: PackageResources.htmx_js_gz)
    package static let htmxSSE = PageAsset(
        "htmx-sse.js", script, PackageResources.htmx_sse_js, gzipped: PackageResources.htmx_sse_js_gz)
    private static let connection = PageAsset("connection.js", script, PackageResources.connection_js)
    private static let live = PageAsset("live.js", script, PackageResources.live_js)
    private static let pictures = PageAsset("pictures.js", script, PackageResources.pictures_js)
    private static let courier = PageAsset("courier.js", script, PackageResources.courier_js)
    private static let courierRevoked = PageAsset("courier-revoked.js", script, PackageResources.courier_revoked_js)

    /// An optional script, by which a page subscribes its browser to notifications.
    package static let alerts = PageAsset("alerts.js", script, PackageResources.alerts_js)
    /// The service worker that shows notifications, for all pages below `/l/`.
    package static let worker = PageAsset(workerFor: "/l/", script, PackageResources.worker_js)

    /// The scripts of a page with live updates.
    package static let liveScripts = [htmx, htmxSSE, connection, live]

    /// The desk's style sheet, besides the common one.
    package static let deskStyle = PageAsset("desk.css", stylesheet, PackageResources.desk_css)
    /// The scripts of the desk's board: they move rows as they change, and handle keys.
    package static let boardScripts = [
        connection, PageAsset("board.js", script, PackageResources.board_js),
    ]
    /// The scripts of a courier's page: they queue presses, checks and pictures until they are sent.
    package static let courierScripts = [htmx, connection, pictures, courier]
    /// The scripts in place of a courier's page whose link was revoked: they remove what the page has not sent.
    package static let courierRevokedScripts = [pictures, courierRevoked]

    private static let leaflet = PageAsset(
        "leaflet.js", script, gzipped: PackageResources.leaflet_js_gz,
        sha384: "cxOPjt7s7Iz04uaHJceBmS+qpjv2JkIHNVcuOrM+YHwZOmJGBXI00mdUXEq65HTH")
    private static let mapImages = PageAsset("map-images.js", script, PackageResources.map_images_js)

    /// The script of a page that may have a map; it loads ``courierMapScripts`` and ``courierMapStyle`` with the first
    /// place.
    package static let courierMap = PageAsset("courier-map.js", script, PackageResources.courier_map_js)
    package static let courierMapScripts = [leaflet, mapImages]
    package static var courierMapStyle: PageAsset { mapStyles[0] }

    /// The scripts of the desk's map: the last one draws it by the others.
    package static let mapScripts = [
        leaflet, mapImages,
        PageAsset(
            "markercluster.js", script, gzipped: PackageResources.markercluster_js_gz,
            sha384: "YVFB9EpvzX9IUwvNkC3dfcdZwuZCVNnp0FrrO6q6WsssUvvS3mK6WAjIoLFc6BvL"),
        PageAsset("map-labels.js", script, PackageResources.map_labels_js),
        PageAsset("map-choosing.js", script, PackageResources.map_choosing_js),
        PageAsset("map.js", script, PackageResources.map_js),
    ]
    package static let mapStyles = [
        PageAsset(
            "leaflet.css", stylesheet, gzipped: PackageResources.leaflet_css_gz,
            sha384: "sHL9NAb7lN7rfvG5lfHpm643Xkcjzp4jFvuavGOndn6pjVqS6ny56CAt3nsEVT4H"),
        PageAsset("map.css", stylesheet, PackageResources.map_css),
    ]

    /// The preview image of a link in messengers: a card without text, 1,200 by 630 pixels.
    package static let preview = PageAsset("preview.png", "image/png", PackageResources.preview_png)

    /// The tab's icon by the card's colour, as of `LiveActivity.Tint`.
    package static let icons = [
        "blue": PackageResources.icon_blue_svg, "teal": PackageResources.icon_teal_svg,
        "indigo": PackageResources.icon_indigo_svg, "green": PackageResources.icon_green_svg,
        "mint": PackageResources.icon_mint_svg, "purple": PackageResources.icon_purple_svg,
        "orange": PackageResources.icon_orange_svg, "cyan": PackageResources.icon_cyan_svg,
        "gray": PackageResources.icon_gray_svg,
    ].mapValues { PageAsset("icon.svg", "image/svg+xml", $0) }

    /// The icon of a colour; gray for one that this version does not know.
    package static func icon(of tint: String) -> PageAsset { icons[tint] ?? gray }

    private static let gray = PageAsset("icon.svg", "image/svg+xml", PackageResources.icon_gray_svg)

    /// All served assets.
    package static let all =
        [style, deskStyle, htmx, htmxSSE, connection, live, pictures, courier, courierRevoked, alerts, worker, preview]
        + [courierMap] + boardScripts.suffix(1) + mapScripts + mapStyles
        + icons.values.sorted { $0.path < $1.path }
}
