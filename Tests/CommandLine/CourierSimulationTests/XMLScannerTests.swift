import Foundation
import FoundationXML
import SeededRandom
import Testing

@testable import CourierSimulation

@Suite("Reading XML")
struct XMLScannerTests {
    /// What Foundation's parser, which is libxml2, reads; nil for a document that it refuses.
    private final class Reference: NSObject, XMLParserDelegate {
        private var events: [XMLScanner.Event] = []
        private var hasFault = false

        static func events(of text: String) -> [XMLScanner.Event]? {
            let reference = Reference()
            let parser = XMLParser(data: Data(text.utf8))
            parser.delegate = reference
            return parser.parse() && !reference.hasFault && !reference.events.isEmpty ? joined(reference.events) : nil
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { events.append(.start(name: name, attributes: attributes)) }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) { events.append(.end(name: name)) }

        /// Called for faults after which it goes on too.
        func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { hasFault = true }

        func parser(_ parser: XMLParser, foundCharacters text: String) { events.append(.text(text)) }

        func parser(_ parser: XMLParser, foundCDATA data: Data) {
            events.append(.text(String(decoding: data, as: UTF8.self)))
        }
    }

    /// Pieces of text that follow each other are one.
    private static func joined(_ events: [XMLScanner.Event]) -> [XMLScanner.Event] {
        events.reduce(into: []) { joined, event in
            if case .text(let next) = event, case .text(let last) = joined.last {
                joined[joined.count - 1] = .text(last + next)
            } else if event != .text("") {
                joined.append(event)
            }
        }
    }

    private static func events(of text: String) throws -> [XMLScanner.Event] {
        var scanner = XMLScanner(text)
        var events: [XMLScanner.Event] = []
        while let event = try scanner.next() { events.append(event) }
        return joined(events)
    }

    static let documents = [
        "<a/>", "<a></a>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b='1' c=\"2\">x</a>\n",
        "<a>1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;&apos;&#65;&#x42;</a>", "<a b='&quot;&lt;&#233;'/>",
        "<a><!-- no <b> here --><b/><![CDATA[<c> & ]]>d</a>", "<a><?target data <x> ?></a>",
        "<gpx xmlns:g='urn:g'><g:trk g:id='7'/></gpx>", "<a\n  b='x\ty'\n/>", "<a b = '1'  ></a >",
        "<Ærø navn='Nørrebro'>渋谷</Ærø>", "<!-- before --><a/><!-- after -->", "<a>]] ></a>",
    ]

    @Test("A document is read as libxml2 reads it", arguments: documents)
    func same(text: String) throws {
        let reference = try #require(Reference.events(of: text))
        #expect(try Self.events(of: text) == reference)
    }

    static let faults = [
        "", "text", "<a>", "<a></b>", "<a><b></a></b>", "<a/><b/>", "<a/>text", "<a b=1/>", "<a b/>",
        "<a b='1' b='2'/>",
        "<a b='<'/>", "<a b='1", "<a>&nothing;</a>", "<a>& b</a>", "<a>&#xZ;</a>", "<1/>", "</a>", "<a><!-- </a>",
        "<a><![CDATA[ </a>", "<a", "<a b='1'c='2'/>", "<a>&#0;</a>",
    ]

    @Test("A document that libxml2 refuses is refused", arguments: faults)
    func refused(text: String) {
        #expect(Reference.events(of: text) == nil)
        #expect(throws: XMLScanner.Fault.self) { try Self.events(of: text) }
    }

    @Test("A document type declaration is refused, so that no file can define or fetch an entity")
    func entities() {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>\n<a>&c;</a>"
        let fault = #expect(throws: XMLScanner.Fault.self) { try Self.events(of: bomb) }
        #expect(fault?.line == 1)
    }

    @Test("Any change of a document is read as libxml2 reads it, or refused where that refuses it", arguments: 1...300)
    func mutations(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let marks = ["<", ">", "/", "'", "\"", "&", ";", "=", " ", "a", "b", "<b>", "</b>", "<c/>", "&amp;", "\n", "-"]
        var text = Self.documents[seed % Self.documents.count]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = text.indices.randomElement(using: &random) ?? text.startIndex
            if Bool.random(using: &random) {
                text.remove(at: index)
            } else {
                text.insert(contentsOf: marks.randomElement(using: &random) ?? "", at: index)
            }
        }
        let reference = Reference.events(of: text)
        let ours = try? Self.events(of: text)
        // Ours is the milder one in what GPX never has: names and prefixes, targets, comments with two hyphens.
        if reference != nil { #expect(ours == reference, "\(text)") }
    }
}
