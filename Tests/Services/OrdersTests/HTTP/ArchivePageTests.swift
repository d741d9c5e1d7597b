import Messages
import Testing

@testable import Orders

@Suite("Pages of archives")
struct ArchivePageTests {
    @Test(
        "A record that is no object is shown as it is, escaped, in tables and in lists",
        arguments: [
            ArchiveSection.notes, .deliveries,
        ])
    func unreadable(section: ArchiveSection) {
        var page = ArchivePage(of: .customer(OrdersUnderTest.customer))
        _ = page.begin(section)
        let text = page.text(of: "<script>no record")
        #expect(text.contains("&lt;script&gt;no record") && !text.contains("<script"))
        #expect(!page.end(section).contains("Nothing is stored"))
    }
}
