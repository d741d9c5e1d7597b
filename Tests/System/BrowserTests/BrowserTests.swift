import TestSupport
import Testing

/// Customers' pages in a real browser, against whole processes; one scenario a file.
///
/// Serialized, because scenarios share a stack, in which some kill and start processes, and each runs a browser.
@Suite("Pages in a browser, against the whole system", .serialized, .tags(.integration), .timeLimit(.minutes(10)))
struct BrowserTests {}
