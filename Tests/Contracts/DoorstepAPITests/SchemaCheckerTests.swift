import Foundation
import OpenAPITesting
import Testing

/// What the checker must notice, so that its silence elsewhere means something.
@Suite("The schema checker")
struct SchemaCheckerTests {
    private static let document = """
        paths:
          /things/{id}:
            put:
              requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
              responses:
                "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } } }
                "404": { $ref: "#/components/responses/NotFound" }
        components:
          responses:
            NotFound:
              content:
                application/problem+json:
                  schema:
                    allOf:
                      - $ref: "#/components/schemas/Problem"
                      - properties: { type: { enum: ["https://doorstep.dev/problems/not-found"] } }
          schemas:
            Problem:
              type: object
              required: [type, status]
              properties: { type: { type: string }, status: { type: integer } }
            Thing:
              type: object
              required: [id, at]
              properties:
                id: { type: string, format: uuid }
                at: { type: string, format: date-time }
                count: { type: integer, minimum: 1 }
                state: { enum: [open, closed] }
                size: { oneOf: [{ type: string }, { type: object, required: [of], properties: { of: { type: number } } }] }
                parts: { type: array, maxItems: 2, items: { type: string, pattern: "^[a-z]+$" } }
                labels: { type: object, additionalProperties: { type: string } }
        """

    private func faults(_ json: String) throws -> [String] {
        let checker = SchemaChecker(document: try JSONValue(yaml: Self.document))
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        return checker.faults(in: value, against: .object(["$ref": .string("#/components/schemas/Thing")]))
    }

    private static let good = #""id":"7f3c2a10-5b1e-4c55-9a0d-2f6e8b7c1d3e","at":"2026-11-21T18:24:00.000Z""#

    @Test(
        "Nothing is wrong with what the schema describes",
        arguments: [
            "", #","count":2"#, #","state":"open","size":"l","parts":["a","b"]"#,
            #","size":{"of":1.5},"labels":{"a":"b"}"#,
        ])
    func fits(more: String) throws {
        #expect(try faults("{\(Self.good)\(more)}") == [])
    }

    @Test(
        "What is missing, too much or of another type is named with its place",
        arguments: [
            (#"{"id":"7f3c2a10-5b1e-4c55-9a0d-2f6e8b7c1d3e"}"#, "body.at is missing"),
            ("{\(good),\"extra\":1}", "body.extra is not in the document"),
            ("{\(good),\"count\":\"2\"}", "body.count is no integer"),
            ("{\(good),\"count\":1.5}", "body.count is no integer"),
            ("{\(good),\"count\":null}", "body.count is no integer"),
            ("{\(good),\"count\":0}", "body.count is too small"),
            ("{\(good),\"state\":\"ajar\"}", "body.state is none of the known values"),
            ("{\(good),\"size\":{\"of\":1,\"by\":2}}", "body.size.by is not in the document"),
            ("{\(good),\"size\":{}}", "body.size.of is missing"),
            ("{\(good),\"parts\":[\"a\",\"B\"]}", "body.parts[1] does not match"),
            ("{\(good),\"parts\":[\"a\",\"b\",\"c\"]}", "body.parts has too many elements"),
            ("{\(good),\"labels\":{\"a\":1}}", "body.labels.a is no string"),
            (#"{"id":"7","at":"2026-11-21T18:24:00.000Z"}"#, "body.id is no uuid"),
            (#"{"id":"7f3c2a10-5b1e-4c55-9a0d-2f6e8b7c1d3e","at":"today"}"#, "body.at is no date-time"),
            ("[]", "body is no object"),
        ])
    func names(json: String, fault: String) throws {
        let faults = try faults(json)
        #expect(faults.count == 1 && faults.first?.contains(fault) == true, "\(faults)")
    }

    @Test("A keyword that the checker does not know is a fault")
    func unknownKeyword() throws {
        let checker = SchemaChecker(document: .null)
        #expect(checker.faults(in: .number(3), against: .object(["multipleOf": .number(2)])).count == 1)
    }

    @Test(
        "A request and its answer are held against their operation",
        arguments: [
            (200, "application/json", "{\(good)}", nil),
            (200, "application/json; charset=utf-8", "{\(good)}", nil),
            (200, "application/json", "{\(good),\"extra\":1}", "response.extra is not in the document"),
            (200, "text/plain", "OK", "content type text/plain"),
            (204, nil, "", "lacks this status"),
            (
                404, "application/problem+json", #"{"type":"https://doorstep.dev/problems/not-found","status":404}"#,
                nil
            ),
            (
                404, "application/problem+json", #"{"type":"https://doorstep.dev/problems/gone","status":404}"#,
                "response.type is none of the known values"
            ),
        ] as [(Int, String?, String, String?)])
    func exchanges(status: Int, type: String?, body: String, fault: String?) throws {
        let document = try OpenAPIDocument(yaml: Self.document.utf8)
        let faults = document.faults(
            in: .init(
                method: "PUT", target: "/things/7?really", requestType: "application/json",
                requestBody: Data("{\(Self.good)}".utf8), status: status, responseType: type,
                responseBody: Data(body.utf8)))
        if let fault {
            #expect(faults.count == 1 && faults.first?.contains(fault) == true, "\(faults)")
        } else {
            #expect(faults == [])
        }
    }

    @Test("An accepted request body is checked, a refused one is not")
    func requests() throws {
        let document = try OpenAPIDocument(yaml: Self.document.utf8)
        var exchange = OpenAPIDocument.Exchange(
            method: "PUT", target: "/things/7", requestType: nil, requestBody: Data("{}".utf8), status: 200,
            responseType: "application/json", responseBody: Data("{\(Self.good)}".utf8))
        #expect(document.faults(in: exchange).count == 2)
        exchange.status = 404
        exchange.responseType = "application/problem+json"
        exchange.responseBody = Data(#"{"type":"https://doorstep.dev/problems/not-found","status":404}"#.utf8)
        #expect(document.faults(in: exchange) == [])
        exchange.target = "/nowhere"
        exchange.status = 200
        #expect(document.faults(in: exchange).count == 1)
    }
}
