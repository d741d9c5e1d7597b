package import Foundation

/// The JSON files of a folder and of the folders in one part of it, through links, as a mounted ConfigMap has them.
package enum JSONFolder {
    /// Why a folder cannot be read: `texts/da.json is no file`.
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Files of a folder that are read.
    private static let filesMax = 10_000

    /// Reads `*.json` of the folder, and `part/*/*.json`; names that begin with a point are passed over.
    ///
    /// - Parameters:
    ///   - part: the folder of further folders, such as `stores`; it may be absent.
    ///   - bytesMax: of a file.
    /// - Throws: ``Unreadable`` for a folder or a file that cannot be read, is no file or is too large.
    /// - Returns: the content by path in the folder, such as `stores/nordhavn/da.json`.
    package static func read(_ folder: String, part: String, bytesMax: Int) throws(Unreadable) -> [String: Data] {
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        var places = [(folder: root, prefix: "")]
        let parts = root.appending(path: part).resolvingSymlinksInPath()
        if FileManager.default.fileExists(atPath: parts.path) {
            for name in try names(in: parts) {
                places.append((parts.appending(path: name).resolvingSymlinksInPath(), "\(part)/\(name)/"))
            }
        }
        var files: [String: Data] = [:]
        for place in places {
            // A file beside the folders, such as a README.
            if !place.prefix.isEmpty, type(of: place.folder) != .typeDirectory { continue }
            for name in try names(in: place.folder) where name.hasSuffix(".json") {
                let file = place.folder.appending(path: name).resolvingSymlinksInPath()
                files[place.prefix + name] = try content(of: file, bytesMax: bytesMax)
                if files.count > filesMax { throw Unreadable(description: "\(folder) has more than \(filesMax) files") }
            }
        }
        return files
    }

    private static func names(in folder: URL) throws(Unreadable) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        } catch {
            throw Unreadable(description: "\(folder.path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func content(of file: URL, bytesMax: Int) throws(Unreadable) -> Data {
        let size: Int
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw Unreadable(description: "\(file.path) is no file")
            }
            size = attributes[.size] as? Int ?? 0
            guard size <= bytesMax else {
                throw Unreadable(description: "\(file.path) has \(size) bytes, \(bytesMax) at most")
            }
            return try Data(contentsOf: file)
        } catch let unreadable as Unreadable {
            throw unreadable
        } catch {
            throw Unreadable(description: "\(file.path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func type(of file: URL) -> FileAttributeType? {
        // Without attributes it is no folder either.
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.type] as? FileAttributeType
    }
}
