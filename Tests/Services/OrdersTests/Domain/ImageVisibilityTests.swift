import OrderDomain
import Testing

@testable import Orders

@Suite("Stores whose customers see images")
struct ImageVisibilityTests {
    private let nordhavn = StoreID(rawValue: "nordhavn").unsafelyUnwrapped

    @Test("A list names stores, a star every store, and nothing no store")
    func lists() throws {
        #expect(try #require(ImageVisibility("valby, nordhavn")).includes(nordhavn))
        #expect(try #require(ImageVisibility(" * ")).includes(nordhavn))
        #expect(try !#require(ImageVisibility("valby")).includes(nordhavn))
        #expect(!ImageVisibility().includes(nordhavn))
    }

    @Test("A text of another form is none", arguments: ["", "nordhavn,", "*, nordhavn", "a/b", "nordhavn;valby"])
    func malformed(text: String) { #expect(ImageVisibility(text) == nil) }
}
