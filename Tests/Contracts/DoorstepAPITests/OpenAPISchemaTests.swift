import Foundation
import OpenAPITesting
import Testing

@Suite("The schemas of the OpenAPI documents")
struct OpenAPISchemaTests {
    private static let documents: [String: OpenAPIDocument] = {
        let folder = URL(filePath: #filePath).appending(path: "../../../../docs/openapi").standardized
        let names = ["orders", "courier-eta", "activity-dispatch", "desk", "partners"]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                guard let data = try? Data(contentsOf: folder.appending(path: "\(name).yaml")),
                    let document = try? OpenAPIDocument(yaml: data)
                else { return nil }
                return (name, document)
            })
    }()

    /// A schema with the document that it is in; the lint checks that one name is one schema in all of them.
    private func schema(_ name: String) throws -> (schema: JSONValue, checker: SchemaChecker) {
        let found = Self.documents.values.compactMap { document in
            document.schemas[name].map { (schema: $0, checker: document.checker) }
        }
        return try #require(found.first, "no document has a schema \(name)")
    }

    @Test("Every schema is that of a type of ours, or is known to be none's")
    func named() throws {
        #expect(Self.documents.count == 5)
        let schemas = Self.documents.values.reduce(into: Set<String>()) { $0.formUnion($1.schemas.keys) }
        let types = DocumentedType.all.map(\.name)
        #expect(Set(types).count == types.count)
        #expect(schemas.symmetricDifference(types).symmetricDifference(DocumentedType.others) == [])
    }

    @Test("An example is read and written as it stands, and fits its schema", arguments: DocumentedType.all)
    func roundTrips(type: DocumentedType) throws {
        let (schema, checker) = try schema(type.name)
        let examples = type.cases ?? schema["examples"]?.elements ?? schema["enum"]?.elements ?? []
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(checker.faults(in: example, against: schema, at: type.name) == [])
            #expect(try type.roundTrip(example).encoded == example)
        }
    }

    @Test("An enumeration has the values of its schema", arguments: DocumentedType.all.filter { $0.cases != nil })
    func enumerations(type: DocumentedType) throws {
        #expect(Set(try schema(type.name).schema["enum"]?.elements ?? []) == Set(type.cases ?? []))
    }

    @Test("Schema and type have the same properties, all of them in an example", arguments: DocumentedType.all)
    func properties(type: DocumentedType) throws {
        let schema = try schema(type.name).schema
        guard let properties = schema["properties"]?.members else { return }
        let examples = schema["examples"]?.elements ?? []
        let shown = examples.reduce(into: Set<String>()) { $0.formUnion($1.members.keys) }
        #expect(shown == Set(properties.keys))
        let codecs = try examples.map { try type.roundTrip($0) }
        let stored = codecs.reduce(into: Set<String>()) { $0.formUnion($1.stored) }
        let present = codecs.reduce(into: Set<String>()) { $0.formUnion($1.present) }
        // By number, since a few are spelled otherwise in JSON: `content-state`.
        #expect(stored.count == properties.count)
        #expect(present == stored)
    }

    @Test("What a schema requires cannot be decoded without, and what it does not can", arguments: DocumentedType.all)
    func required(type: DocumentedType) throws {
        let schema = try schema(type.name).schema
        guard let properties = schema["properties"]?.members else { return }
        let required = Set(schema["required"]?.elements.compactMap(\.string) ?? [])
        for example in schema["examples"]?.elements ?? [] {
            for name in properties.keys where example[name] != nil {
                var members = example.members
                members[name] = nil
                let isNeeded = (try? type.roundTrip(.object(members))) == nil
                #expect(isNeeded == required.contains(name), "\(type.name).\(name)")
            }
        }
    }
}
