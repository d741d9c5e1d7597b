import Configuration
import InterfaceTexts
import Logging
import ProcessSettings

extension InstallationTexts {
    /// Reads the texts of pages.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `texts.folder` | path of a folder of texts, as of `activity-dispatch`; see [texts](texts.md) | the texts that are compiled in | no |
    init(reading settings: ConfigReader, logger: Logger) throws {
        guard
            let files = try settings.jsonFiles(
                below: "texts.folder", part: Self.storesFolder, bytesMax: Self.fileBytesMax)
        else {
            self = .builtIn
            return
        }
        do {
            try self.init(files: files)
        } catch {
            throw ConfigurationError(
                key: "texts.folder", problem: "has \(error.faults.count) faults: \(error)",
                fix: "mend them; doorstep strings --texts reads a folder as this process does")
        }
        if files.isEmpty { logger.warning("The folder of texts has no file", metadata: ["setting": "texts.folder"]) }
        for key in unused {
            logger.warning("A text of texts.folder is shown nowhere in this version", metadata: ["text": "\(key)"])
        }
    }
}
