import ArgumentParser
import CommandOutput
import Foundation
import InterfaceTexts
import JSONFolder

/// Writes the words of alerts and cards for an app.
struct StringsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strings",
        abstract: "Write the texts of alerts or cards as a string catalogue for Xcode.",
        discussion: """
            In every language that there is. Without a file the catalogue goes to standard output. An existing file \
            keeps its texts: only missing ones are added, so that an app may have its own. Alerts belong into \
            the app's Localizable.xcstrings, where iOS resolves them.
            """)

    @Argument(help: "The catalogue to write or to add to, such as App/Localizable.xcstrings.")
    var file: String?

    @Option(help: "The texts: \(StringTable.allValueStrings.joined(separator: " or ")).")
    var table: StringTable = .alerts

    @Option(help: "A folder of texts of your own, as the services' setting texts.folder names it.")
    var texts: String?

    func run() throws {
        let installation = try installation()
        guard let file else {
            var catalogue = StringCatalogue()
            _ = table.add(to: &catalogue, from: installation)
            writeOutput(String(decoding: try catalogue.encoded(), as: UTF8.self))
            return
        }
        let url = URL(filePath: file)
        var catalogue = try existing(url) ?? StringCatalogue()
        let count = table.add(to: &catalogue, from: installation)
        do {
            try catalogue.encoded().write(to: url, options: .atomic)
        } catch {
            throw CommandFailure(.usage, "\(file) could not be written: \(error.localizedDescription)")
        }
        writeLine("\(file): \(count) texts added.")
    }

    private func installation() throws -> InstallationTexts {
        guard let texts else { return .builtIn }
        do {
            let own = try InstallationTexts(
                files: try JSONFolder.read(
                    texts, part: InstallationTexts.storesFolder, bytesMax: InstallationTexts.fileBytesMax))
            for key in own.unused { writeError("\(key) is shown nowhere in this version") }
            return own
        } catch let fault as TextFolderFault {
            throw CommandFailure(.usage, fault.faults.joined(separator: "\n"))
        } catch let unreadable as JSONFolder.Unreadable {
            throw CommandFailure(.usage, unreadable.description)
        }
    }

    private func existing(_ url: URL) throws -> StringCatalogue? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            return try StringCatalogue(reading: Data(contentsOf: url))
        } catch {
            throw CommandFailure(.usage, "\(url.path) is no string catalogue; nothing was written.")
        }
    }
}
