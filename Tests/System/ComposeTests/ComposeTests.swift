import Foundation
import TestSupport
import Testing

/// The images as they are shipped, run with Docker Compose and tested from outside; one scenario a file.
///
/// `make test-compose` runs them: they need an engine, the images and a folder with secrets.
/// Serialized, because each scenario runs a whole stack, and two at once would share the machine's cores.
@Suite("Containers", .serialized, .tags(.integration), .enabled(if: ComposeStack.Settings.ofProcess != nil))
struct ComposeTests {}
