internal import Mustache

/// Pages from Mustache templates: values are escaped wherever they are inserted.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// - Parameter templates: by name; one may include another as a partial, `page` as the layout around it, and `card`
    ///   as the drawing of a card.
    /// - Throws: for a template with a fault.
    package init(_ templates: [String: [UInt8]]) throws {
        MustacheContentTypes.register(ScalarEscaping(), named: Self.escaping)
        let shared = ["page": PackageResources.page_mustache, "card": PackageResources.card_mustache]
        let all = templates.merging(shared) { own, _ in own }
        library = MustacheLibrary(
            templates: try all.mapValues {
                try MustacheTemplate(
                    string: "{{% CONTENT_TYPE:\(Self.escaping)}}" + String(decoding: $0, as: UTF8.self))
            })
    }

    /// Templates that are compiled in, of which none has a fault.
    package init(compiled templates: [String: [UInt8]]) {
        do {
            try self.init(templates)
        } catch {
            preconditionFailure("a template of ours has a fault: \(error)")
        }
    }

    private static let escaping = "HTML_BY_SCALARS"

    /// Escapes scalar by scalar: a mark that is combined with a following or a former letter, such as U+0301 after a
    /// quote, is a part of that letter to a reader, and nothing of it to a browser.
    private struct ScalarEscaping: MustacheContentType {
        func escapeText(_ text: String) -> String { PageTemplates.escaped(text) }
    }

    /// The text as a value of markup, also between quotes.
    package static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// - Parameter values: texts, truths, lists and such dictionaries.
    package func render(_ name: String, _ values: [String: Any]) -> String {
        guard let text = library.render(values, withTemplate: name) else {
            preconditionFailure("there is no template \(name)")
        }
        return text
    }

    /// A whole page around a template.
    ///
    /// - Parameters:
    ///   - language: of its texts, such as `en`.
    ///   - direction: of its lines, `ltr` or `rtl`.
    ///   - icon: in the tab.
    ///   - scripts: of the page; empty for a static page.
    ///   - styles: besides the common style sheet.
    ///   - reading: the path to reload where scripts are off; nil for a page that stays as it is.
    ///   - hasInput: whether the reader may be filling in a form, which a reload empties: the page reloads every two
    ///     minutes then, and every 20 seconds otherwise.
    ///   - preview: a link's preview in messengers; nil for none.
    package func page(
        _ name: String, _ values: [String: Any], language: String, direction: String = "ltr", title: String,
        icon: PageAsset = .icon(of: "gray"), scripts: [PageAsset] = [], styles: [PageAsset] = [],
        reading: String? = nil, hasInput: Bool = false, preview: PagePreview? = nil
    ) -> String {
        var all: [String: Any] = [
            "language": language, "direction": direction, "title": title, "icon": icon.path, "isLive": !scripts.isEmpty,
            "styles": ([.style] + styles).map(reference), "scripts": scripts.map(reference),
            "body": render(name, values),
        ]
        all["reading"] = reading
        all["readingSeconds"] = hasInput ? 120 : 20
        all["preview"] = preview?.values
        return render("page", all)
    }

    private func reference(_ asset: PageAsset) -> [String: Any] {
        var values = ["path": asset.path]
        values["integrity"] = asset.integrity.isEmpty ? nil : asset.integrity
        return values
    }
}

/// A link's preview in messengers, visible to every recipient.
package struct PagePreview: Hashable, Sendable {
    /// Contains nothing about the reader.
    let title: String
    /// The pages' origin, such as `https://go.nordhavn.example`: a preview's image needs an absolute URL.
    let origin: String
    /// The shop's name; nil where the pages are of no shop's own.
    let siteName: String?
    /// The image of the shop; nil for the usual drawing of a card.
    let image: Image?

    package struct Image: Hashable, Sendable {
        let path: String
        let width: Int
        let height: Int

        /// - Parameters:
        ///   - path: below the pages' origin.
        ///   - width: in pixels, as the height.
        package init(path: String, width: Int, height: Int) {
            self.path = path
            self.width = width
            self.height = height
        }
    }

    package init(title: String, origin: String, siteName: String? = nil, image: Image? = nil) {
        self.title = title
        self.origin = origin
        self.siteName = siteName
        self.image = image
    }

    var values: [String: Any] {
        let shown = image ?? Image(path: PageAsset.preview.path, width: 1_200, height: 630)
        var values: [String: Any] = [
            "title": title, "image": origin + shown.path, "width": String(shown.width), "height": String(shown.height),
            // A messenger enlarges the drawing, and shows a logo small beside the title.
            "card": image == nil ? "summary_large_image" : "summary",
        ]
        values["siteName"] = siteName
        return values
    }
}
