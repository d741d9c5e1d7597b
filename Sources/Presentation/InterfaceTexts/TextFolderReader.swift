import DirectJSON
import Foundation
import LiveActivity

/// Reads the files of a folder of texts, and collects what is wrong with them.
struct TextFolderReader {
    private(set) var faults: [String] = []
    private(set) var unused: [String] = []

    /// The most bytes of a file; those that are compiled in have a twentieth of it.
    private static let bytesMax = 1 << 20

    /// The texts of each file in the folder, by language.
    ///
    /// - Parameter path: of the folder, for faults; it ends in a slash, or is empty.
    mutating func languages(in folder: URL, path: String = "") -> [String: [String: String]] {
        var languages: [String: [String: String]] = [:]
        for name in names(in: folder, path) where name.hasSuffix(".json") {
            let code = String(name.dropLast(5))
            guard code.wholeMatch(of: /[a-z]{2,3}/) != nil else {
                faults.append("\(path)\(name): a file is named by its language's ISO 639 code, such as da.json")
                continue
            }
            languages[code] = texts(of: code, in: folder.appending(path: name), path + name)
        }
        return languages
    }

    /// The same of each store's folder, by store; without a folder there are none.
    mutating func stores(in folder: URL) -> [String: [String: [String: String]]] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
        var stores: [String: [String: [String: String]]] = [:]
        for store in names(in: folder, "stores/") where !store.hasPrefix(".") {
            stores[store] = languages(in: folder.appending(path: store), path: "stores/\(store)/")
        }
        return stores
    }

    private mutating func names(in folder: URL, _ path: String) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            faults.append("\(path.isEmpty ? folder.path : path): the folder cannot be read: \(error.localizedDescription)")
            return []
        }
    }

    private mutating func texts(of language: String, in file: URL, _ path: String) -> [String: String] {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            faults.append("\(path): the file cannot be read: \(error.localizedDescription)")
            return [:]
        }
        guard data.count <= Self.bytesMax else {
            faults.append("\(path): the file has \(data.count) bytes, \(Self.bytesMax) at most")
            return [:]
        }
        if let fault = JSONFault(in: [UInt8](data)) {
            faults.append("\(path): \(fault)")
            return [:]
        }
        do {
            return checked(try JSONDecoder().decode([String: String].self, from: data), language, data, path)
        } catch DecodingError.typeMismatch(_, let context) {
            let key = context.codingPath.first?.stringValue
            faults.append("\(place(of: key, in: data, path)): a file is one object, and each of its values a text")
        } catch {
            faults.append("\(path): a file is one object, and each of its values a text")
        }
        return [:]
    }

    private mutating func checked(
        _ texts: [String: String], _ language: String, _ data: Data, _ path: String
    ) -> [String: String] {
        let base = InstallationTexts.base(language)
        var known: [String: String] = [:]
        for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard base.has(key) else {
                unused.append("\(path): \(key)")
                continue
            }
            do {
                try base.check(text, for: key)
                known[key] = text
            } catch {
                faults.append("\(place(of: key, in: data, path)), \(error)")
            }
        }
        return known
    }

    /// `da.json, line 3, page.items`.
    private func place(of key: String?, in data: Data, _ path: String) -> String {
        guard let key else { return path }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines.firstIndex { $0.contains("\"\(key)\"") }.map { ", line \($0 + 1)" } ?? ""
        return "\(path)\(line), \(key)"
    }
}
