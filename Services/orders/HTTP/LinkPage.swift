import CardPresentation
import DoorstepAPI
import Hummingbird
import LiveActivity

/// The page for a browser that opens a link without the app: what the link does, and that the app does it.
///
/// It has no form: a press needs the customer's own token, which a browser does not have.
struct LinkPage: Sendable {
    let html: String

    /// - Parameter isShared: whether it was made for somebody without the app.
    init(_ body: LinkBody, isShared: Bool) {
        let sentence = Self.escaped(body.message)
        // Its names are in the middle of words of ours, so none of them may change the direction of these.
        let card = Self.escaped(body.content.headline.text.withoutDirectionControls)
        let lines = (body.details ?? []).map { "<li><bdi>\(Self.escaped($0.text.withoutDirectionControls))</bdi></li>" }
        let details = lines.isEmpty ? "" : "<ul>\(lines.joined())</ul>"
        let open = isShared ? "" : "Open it in the app, or with: doorstep open <this link>"
        let next = Self.escaped(body.why ?? open)
        html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(sentence)</title>
            <meta name="robots" content="noindex"><meta name="viewport" content="width=device-width"></head>
            <body><h1><bdi>\(sentence)</bdi></h1><p><bdi>\(card)</bdi></p>\(details)<p>\(next)</p></body></html>
            """
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
