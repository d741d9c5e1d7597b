import Foundation
import Testing

/// What the example proxies of Compose and of Kubernetes pass from outside.
@Suite("Proxies")
struct ProxyTests {
    @Test("The proxy and the example of an ingress pass the desk's pages, and keep its metrics and probes inside")
    func deskProbes() throws {
        let closed = ["/metrics", "/health/live", "/health/ready"]
        let script = try String(contentsOf: Project.root.appending(path: "Infra/docker/proxy"), encoding: .utf8)
        let servers = script.components(separatedBy: "server {")
        let server = try #require(servers.first { $0.contains("server_name $desk;") })
        #expect(server.contains("$(pass / desk:8084)"))
        for path in closed { #expect(server.contains("location \(path) { return 404; }"), "\(path)") }

        let ingresses = try YAML.documents("Infra/kubernetes/examples/ingress.yaml").filter {
            $0["spec"]["rules"][0]["host"].text == "desk.doorstep.example"
        }
        func paths(_ ingress: YAML) -> [String] {
            ingress["spec"]["rules"][0]["http"]["paths"].items.compactMap { $0["path"].text }
        }
        let range = "nginx.ingress.kubernetes.io/whitelist-source-range"
        let inside = ingresses.filter { $0["metadata"]["annotations"][range].text == "127.0.0.1/32" }
        let open = ingresses.filter { !$0["metadata"]["annotations"][range].isThere }
        #expect(inside.flatMap(paths) == closed && open.flatMap(paths) == ["/"])
    }
}
