package import Configuration
package import Foundation
internal import JSONFolder

extension ConfigReader {
    /// The JSON files of a folder and of the folders in one part of it, by their paths in it; nil where the setting is
    /// absent.
    ///
    /// - Parameters:
    ///   - part: the folder of further folders, such as `stores`.
    ///   - bytesMax: of a file.
    /// - Throws: ``ConfigurationError`` that names the key, for a folder or a file that cannot be read.
    package func jsonFiles(below key: String, part: String, bytesMax: Int) throws -> [String: Data]? {
        guard let path = try text(key) else { return nil }
        do {
            return try JSONFolder.read(path, part: part, bytesMax: bytesMax)
        } catch {
            throw ConfigurationError(
                key: key, problem: "cannot be read (\(error))", fix: "name a folder that this process may read")
        }
    }
}
