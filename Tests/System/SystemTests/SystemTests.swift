import TestSupport
import Testing

/// Whole processes, a real database and a real broker; one scenario a file.
///
/// Serialized, because each scenario runs seven processes or more on a clock that goes sixty times as fast as the wall's:
/// two at once would share the machine's cores and miss their deadlines.
@Suite("System", .serialized, .tags(.integration))
struct SystemTests {}
