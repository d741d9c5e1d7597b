package import ArrivalEstimate
internal import CommandOutput
internal import Foundation

extension ArrivalModel {
    /// Reads a model from a file that `doorstep eta train` wrote.
    ///
    /// - Throws: `CommandFailure`: not found where there is no such file, usage where it is no model.
    package init(file path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.notFound, "\(path) cannot be read: train a model with `doorstep eta train`")
        }
        do throws(ArrivalModelError) {
            try self.init(json: data)
        } catch {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }

    /// Writes the model to a file.
    ///
    /// - Throws: `CommandFailure` of kind usage when the file cannot be written.
    package func write(to path: String) throws {
        try String(decoding: json(), as: UTF8.self).write(toFile: path)
    }
}
