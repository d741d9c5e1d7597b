import DirectJSON
import Foundation
import LiveActivity

/// Checks the files of a folder of texts, and collects their faults.
struct TextFolderReader {
    private(set) var faults: [String] = []
    private(set) var unused: [String] = []

    /// The texts of each file at the top of the folder by language, and those of stores' folders by store.
    ///
    /// - Parameter files: by their paths in the folder.
    mutating func read(
        _ files: [String: Data]
    ) -> (installation: [String: [String: String]], stores: [String: [String: [String: String]]]) {
        var installation: [String: [String: String]] = [:]
        var stores: [String: [String: [String: String]]] = [:]
        for (path, data) in files.sorted(by: { $0.key < $1.key }) {
            guard let match = path.wholeMatch(of: /(?:stores\/([^\/]+)\/)?([a-z]{2,3})\.json/) else {
                faults.append(
                    "\(path): a file is named by its language's ISO 639 code, such as da.json or stores/nordhavn/da.json"
                )
                continue
            }
            let language = String(match.2)
            let texts = texts(of: language, in: data, path)
            if let store = match.1 {
                stores[String(store), default: [:]][language] = texts
            } else {
                installation[language] = texts
            }
        }
        return (installation, stores)
    }

    private mutating func texts(of language: String, in data: Data, _ path: String) -> [String: String] {
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
            // The services answer presses in English themselves, so that English lacks these.
            if key.hasPrefix("answer."), !base.has(key) { continue }
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
