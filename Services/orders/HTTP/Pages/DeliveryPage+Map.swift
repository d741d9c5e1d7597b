import ArrivalEstimate
import LiveActivity
import OrderDomain
import WebPages

/// A page's map in words, with the places that the page's script draws.
struct MapPanel: Sendable {
    let map: PageMap
    /// Nil while the courier's place is unknown.
    let place: FollowedPlace?
    let texts: TextCatalogue

    /// The text, for the page and its stream.
    var html: String {
        var values: [String: Any] = ["door": text(of: map.door), "text": text]
        values["courier"] = place.map { text(of: $0.now.place) }
        return DeliveryPage.templates.render("map", values)
    }

    /// `About 600 m away, towards you`.
    private var text: String {
        guard let place else { return texts("page.map.none") }
        let distance = texts("page.map.distance", distanceValues(place.now.metres(to: map.door)))
        guard let former = place.former else { return distance }
        let isNearer = place.now.isNearer(to: map.door, than: former)
        return texts(isNearer ? "page.map.nearer" : "page.map.farther", ["distance": distance])
    }

    /// Kilometres from one on, with a decimal below ten.
    private func distanceValues(_ metres: Int) -> [String: String] {
        guard metres >= 1_000 else { return ["metres": String(metres)] }
        let tenths = metres / 100
        let kilometres =
            tenths < 100
            ? "\(tenths / 10)\(texts("format.decimal_mark"))\(tenths % 10)" : String((metres + 500) / 1_000)
        return ["kilometres": kilometres]
    }

    private func text(of place: Coordinate) -> String { "\(place.latitude) \(place.longitude)" }
}

extension DeliveryPage {
    /// The part of the page for the map; nil where the page never has one.
    var map: [String: Any]? {
        guard state.hasMap else { return nil }
        let scripts = PageAsset.courierMapScripts.map { "\($0.path) \($0.integrity)" }
        let style = PageAsset.courierMapStyle
        let values: [String: Any] = [
            "title": texts("page.map"), "isHidden": state.map == nil,
            "content": state.map.map { MapPanel(map: $0, place: place, texts: texts).html } ?? "",
            "scripts": scripts.joined(separator: ", "), "style": "\(style.path) \(style.integrity)",
        ]
        return values.merging(mapImages.values) { own, _ in own }
    }
}
