package import Configuration
package import Foundation

extension ConfigReader {
    /// The JSON files in a folder and in the folders below it, by their paths in it; nil where the setting is absent.
    ///
    /// - Throws: ``ConfigurationError`` that names the key, for a folder or a file that cannot be read.
    package func jsonFiles(below key: String) throws -> [String: Data]? {
        guard let path = try text(key) else { return nil }
        do {
            let names = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
            let folder = URL(filePath: path, directoryHint: .isDirectory)
            return try names.reduce(into: [:]) { files, name in
                files[name] = try Data(contentsOf: folder.appending(path: name))
            }
        } catch {
            throw ConfigurationError(
                key: key, problem: "cannot be read (\(error.localizedDescription))",
                fix: "name a folder that this process may read")
        }
    }
}
