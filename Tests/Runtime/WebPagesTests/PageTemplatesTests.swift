import Testing

@testable import WebPages

@Suite("Templates of pages")
struct PageTemplatesTests {
    @Test("What a value holds is escaped in texts, attributes and the title")
    func escaped() throws {
        let templates = try PageTemplates(["greeting": Array(#"<p title="{{name}}">{{name}}</p>"#.utf8)])
        let name = #"<script>"&'`"#
        let html = templates.page(
            "greeting", ["name": name], language: "en", title: name, scripts: PageAsset.liveScripts)
        #expect(!html.contains("<script>") && !html.contains(#"title=""#.dropLast() + #""<"#))
        #expect(html.contains("&lt;script&gt;&quot;&amp;"))
    }

    @Test(
        "A mark that combines with a letter of markup hides it from no escaping",
        arguments: ["Milk\"\u{301} onload=x", "\u{600}<b>", "<\u{200D}i>", "'\u{FE0F}", "&\u{20E3}amp;"])
    func combined(name: String) throws {
        let templates = try PageTemplates(["greeting": Array("<p title=\"{{name}}\">{{name}}</p>".utf8)])
        let html = templates.render("greeting", ["name": name])
        let markup = html.unicodeScalars.filter { "<>\"'".unicodeScalars.contains($0) }
        #expect(String(String.UnicodeScalarView(markup)) == "<\"\"><>")
        #expect(!html.unicodeScalars.elementsEqual(name.unicodeScalars))
    }

    @Test("A template with a fault is found when it is read")
    func faults() {
        #expect(throws: (any Error).self) { try PageTemplates(["bad": Array("{{#open}}".utf8)]) }
    }

    @Test("Where scripts are off a page is loaded again soon, and seldom while its reader may be filling in a form")
    func reloads() throws {
        let templates = try PageTemplates(["empty": []])
        for (hasInput, seconds) in [(false, 20), (true, 120)] {
            let html = templates.page(
                "empty", [:], language: "en", title: "", scripts: PageAsset.liveScripts, reading: "/l/x",
                hasInput: hasInput)
            #expect(html.contains("<noscript><meta http-equiv=\"refresh\" content=\"\(seconds); url=/l/x\">"))
        }
    }

    @Test("Every script and style of a page names what it must be, and a page that is not live has no script")
    func integrity() throws {
        let templates = try PageTemplates(["empty": []])
        let live = templates.page(
            "empty", [:], language: "en", title: "", scripts: PageAsset.liveScripts, reading: "/l/x")
        #expect(live.ranges(of: "integrity=\"sha384-").count == 5)
        #expect(live.ranges(of: "<script ").count == 4 && live.contains("http-equiv=\"refresh\""))
        let still = templates.page("empty", [:], language: "en", title: "")
        #expect(!still.contains("<script") && !still.contains("refresh"))
    }
}
