import CardPresentation
import InterfaceTexts
import LiveActivity
import OrderDomain
import WebPages

/// The parts of a store's face on customers' and couriers' pages.
extension StoreFace {
    /// The logo and the name at the top of a page; nil where the face has neither.
    func band(of store: Store) -> [String: Any]? {
        guard name != nil || logo != nil else { return nil }
        var values: [String: Any] = ["name": (name ?? store.name).withoutDirectionControls]
        values["logo"] = logo.map { logo -> [String: Any] in
            ["path": logo.path(of: store.id), "width": String(logo.width), "height": String(logo.height)]
        }
        return values
    }

    /// The style sheet of its colours, after the common one.
    func styles(of store: StoreID) -> [PageAsset] { colours.map { [PageAsset($0, of: store)] } ?? [] }
}

extension DeliveryPage {
    /// The preview of the page's link: the shop's name and logo where its face has them, and nothing of the delivery.
    var preview: PagePreview {
        let face = state.face.face
        guard let name = face?.name?.withoutDirectionControls else {
            return PagePreview(title: texts("page.preview"), origin: signer.origin, image: image)
        }
        return PagePreview(
            title: texts("page.preview.store", ["store": name]), origin: signer.origin, siteName: name, image: image)
    }

    private var image: PagePreview.Image? {
        state.face.face?.logo.map {
            PagePreview.Image(path: $0.path(of: delivery.store.id), width: $0.width, height: $0.height)
        }
    }
}
