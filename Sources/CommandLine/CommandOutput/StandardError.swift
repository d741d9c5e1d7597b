internal import Foundation

/// Writes a line on standard error.
///
/// Where nobody reads it any more there is nobody to tell, so that is no failure.
package func writeError(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}
