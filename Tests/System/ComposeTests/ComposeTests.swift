import Foundation
import TestSupport
import Testing

/// The images as they are shipped, brought up with Docker Compose and looked at from outside; one story a file.
///
/// `make test-compose` runs them: they want an engine, the images and a folder with secrets.
/// Serialized, because each story has a whole stack of its own, and two would take each other's time away.
@Suite("Containers", .serialized, .tags(.integration), .enabled(if: Containers.Settings.ofProcess != nil))
struct ComposeTests {}
