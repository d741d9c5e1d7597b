import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import WebPages

@Suite("What browsers send")
struct PageRequestTests {
    private func request(_ headers: HTTPFields) -> Request {
        Request(
            head: HTTPRequest(
                method: .post, scheme: "https", authority: "go.example", path: "/l/x", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test(
        "The locale with the best of the languages that are known",
        arguments: [
            ("da", "da"), ("da-DK,da;q=0.9,en;q=0.8", "da-dk"), ("de, en;q=0.2, da;q=0.7", "da"), ("fr", "en"),
            ("", "en"), ("en-GB, da", "en-gb"), ("da;q=0, en;q=0.1", "en"), (";;,=,q", "en"), ("da;q=x", "da"),
        ])
    func locale(accepted: String, locale: String) {
        #expect(request([.acceptLanguage: accepted]).locale(among: ["en", "da"]) == locale)
    }

    @Test(
        "A form of another site's is known",
        arguments: [
            (nil, nil, false), ("https://go.example", nil, false), ("https://go.example", "same-origin", false),
            (nil, "none", false), ("https://evil.example", nil, true), ("null", nil, true),
            ("https://go.example.evil.example", nil, true), ("https://go.example", "cross-site", true),
            (nil, "same-site", true), ("http://go.example", nil, true),
        ] as [(String?, String?, Bool)])
    func elsewhere(origin: String?, site: String?, isElsewhere: Bool) throws {
        var headers: HTTPFields = [:]
        headers[.origin] = origin
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
        #expect(request(headers).isFromElsewhere(than: "https://go.example") == isElsewhere)
    }

    @Test("A cookie is found among others, and by its whole name")
    func cookies() {
        var headers: HTTPFields = [:]
        headers.append(HTTPField(name: .cookie, value: "a=1; order=first; my-order=2"))
        headers.append(HTTPField(name: .cookie, value: "b=2"))
        let request = request(headers)
        #expect(request.cookie("order") == "first" && request.cookie("b") == "2" && request.cookie("orde") == nil)
    }
}
