package import Foundation
package import Messages
internal import OrderDomain

/// Checks archives of persons' data by a validator of another project: `Infra/local/archive-checker`.
package enum ArchiveChecker {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Infra/local/archive-checker").standardized.path

    /// A line for each fault of an archive against the published schema.
    ///
    /// - Throws: where the validator does not run.
    package static func faults(of archive: Data) async throws -> [String] {
        let (exit, lines) = try await ChildProcess.run(script, ["run"], input: archive)
        guard exit == .code(0) else { throw Failed() }
        return String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The faults of a service's records, as the archive of a customer, or of a courier, has them without others.
    ///
    /// - Throws: where the validator does not run, or a section is another kind of person's.
    package static func faults(
        of records: [ArchiveSection: [String]], isCourier: Bool = false
    ) async throws -> [String] {
        guard let customer = CustomerID(rawValue: "mette"), let courier = CourierID(rawValue: "jonas") else {
            preconditionFailure("names are identifiers")
        }
        let exported = isCourier ? RequestedPerson.courier(courier) : .customer(customer)
        let (kind, id) = isCourier ? ("courier", courier.rawValue) : ("customer", customer.rawValue)
        let person = "{\"\(kind)\":\"\(id)\",\"requestedAt\":\"2026-11-21T18:24:00.000Z\",\"timeZone\":\"UTC\"}"
        guard Set(records.keys).isSubset(of: exported.sections) else { throw Foreign() }
        let lists = exported.sections.filter { $0 != .person }.map { section in
            "\"\(section.rawValue)\":[\((records[section] ?? []).joined(separator: ","))]"
        }
        let archive = """
            {"$schema":"https://doorstep.dev/schemas/export-1.json","schema":1,"person":\(person),\
            \(lists.joined(separator: ",")),"leftOut":["nothing"]}
            """
        return try await faults(of: Data(archive.utf8))
    }

    /// A section that no archive of the person has.
    private struct Foreign: Error {}

    private struct Failed: Error, CustomStringConvertible {
        var description: String { "the validator failed; is it prepared? run: Infra/local/archive-checker prepare" }
    }
}
