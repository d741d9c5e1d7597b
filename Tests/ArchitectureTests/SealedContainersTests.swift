import Foundation
import Testing

/// The setting of `orders` by which containers seal personal data.
@Suite("Sealing in containers")
struct SealedContainersTests {
    @Test("Both replicas in Compose have one variable for it, which the secrets of a new stack bring")
    func compose() throws {
        for (file, service) in [("docker-compose.yml", "orders"), ("docker-compose.scale.yml", "orders-2")] {
            let environment = try YAML.document(file)["services"][service]["environment"]
            #expect(environment["PERSONS_SEALED"].text == "${DOORSTEP_PERSONS_SEALED:-false}", "\(file)")
        }
        let script = try String(contentsOf: Project.root.appending(path: "Infra/docker/secrets"), encoding: .utf8)
        #expect(script.contains(#"add DOORSTEP_PERSONS_SEALED "${DOORSTEP_PERSONS_SEALED:-true}""#))
    }

    @Test("Pods seal")
    func kubernetes() throws {
        let deployment = try #require(
            try YAML.documents("Infra/kubernetes/orders.yaml").first { $0["kind"].text == "Deployment" })
        let settings = deployment["spec"]["template"]["spec"]["containers"][0]["env"].items
        #expect(settings.first { $0["name"].text == "PERSONS_SEALED" }?["value"].text == "true")
    }
}
