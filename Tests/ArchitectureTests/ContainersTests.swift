import Foundation
import Testing

/// What `docker-compose.yml`, the files on top of it and `Infra/kubernetes` promise, and that they promise the same.
@Suite("Containers")
struct ContainersTests {
    private static let services = ["orders", "courier-eta", "activity-dispatch", "desk", "partners"]

    private func compose() throws -> YAML { try YAML.document("docker-compose.yml") }
    private func scale() throws -> YAML { try YAML.document("docker-compose.scale.yml") }

    // MARK: Compose

    @Test("Only the services are reached from outside, and the emulated phones, and only from this machine")
    func published() throws {
        let services = try compose()["services"]
        for name in services.keys {
            let ports = services[name]["ports"].texts
            let isReached = Self.services.contains(name) || name == "apns-emulator"
            #expect(ports.isEmpty != isReached, "\(name) publishes \(ports)")
            for port in ports { #expect(port.hasPrefix("127.0.0.1:"), "\(name): \(port)") }
        }
        let replicas = try scale()["services"]
        for name in replicas.keys {
            for port in replicas[name]["ports"].texts { #expect(port.hasPrefix("127.0.0.1:"), "\(name): \(port)") }
        }
    }

    @Test("The proxy and the example of an ingress pass every path that pages of orders are below")
    func pagePaths() throws {
        var paths: Set<String> = ["/assets/"]
        for line in try Project.files(in: ["Services/orders/HTTP"]).flatMap(\.lines) {
            let match = line.firstMatch(of: /router\.[a-z]+\("([a-z]+)\/\{/)
            if let match, match.1 != "v1" { paths.insert("/\(match.1)/") }
        }
        #expect(paths.isSuperset(of: ["/l/", "/c/", "/faces/"]))
        for file in ["Infra/docker/proxy", "Infra/kubernetes/examples/ingress.yaml", "docs/operations.md"] {
            let text = try String(contentsOf: Project.root.appending(path: file), encoding: .utf8)
            for path in paths { #expect(text.contains(path), "\(file): \(path)") }
        }
    }

    @Test("No container can write where it runs from, nor gain rights")
    func rights() throws {
        let scaled = try scale()["services"]
        let replicas = scaled.keys.filter { scaled[$0]["image"].isThere }.map { ($0, scaled[$0]) }
        let services = try compose()["services"]
        for (name, service) in services.keys.map({ ($0, services[$0]) }) + replicas {
            #expect(service["read_only"].isTrue, "\(name)")
            #expect(service["cap_drop"].texts == ["ALL"], "\(name)")
            #expect(service["security_opt"].texts == ["no-new-privileges:true"], "\(name)")
            #expect(service["privileged"].isThere == false, "\(name)")
        }
    }

    @Test("A service is given its own secrets and no one else's", arguments: services)
    func secrets(service: String) throws {
        let given = Set(try compose()["services"][service]["secrets"].texts)
        var wanted: Set = [service, "nats-\(service)", "keys"]
        if service == "orders" { wanted.formUnion(["link-keys", "pin-keys", "erasure-keys", "orders-signing-key"]) }
        if service == "activity-dispatch" { wanted.formUnion(["pin-keys", "apns-key", "web-push-key"]) }
        if service == "desk" { wanted.formUnion(["desk-signing-key", "oidc-client-secret"]) }
        if service == "partners" { wanted.insert("secret-keys") }
        #expect(given == wanted)
    }

    @Test(
        "The command line of customers, operators, couriers and shops has tokens alone, and what administers is apart")
    func commandLines() throws {
        let services = try compose()["services"]
        let tokens: Set = ["operator-token", "store-token", "courier-token", "customer-token"]
        #expect(Set(services["doorstep"]["secrets"].texts) == tokens)
        #expect(
            Set(services["courier-simulator"]["secrets"].texts) == ["store-token", "customer-token", "demo-couriers"])
        #expect(Set(services["doorstep-admin"]["secrets"].texts) == ["database", "nats-infra", "operator-token"])
        for name in ["doorstep", "courier-simulator"] {
            let settings = services[name]["environment"].keys
            #expect(settings.isDisjoint(with: ["DATABASE_URL", "NATS_URL", "NATS_USER", "DOORSTEP_TOKEN_KEY_FILE"]))
        }
    }

    @Test("Secrets are files, and no file of the project holds one")
    func secretsAreFiles() throws {
        let files = [try compose(), try scale()]
        for file in files {
            for name in file["secrets"].keys {
                let path = try #require(file["secrets"][name]["file"].text, "\(name) is a file")
                #expect(path.hasPrefix("${DOORSTEP_SECRETS"), "\(name): \(path)")
            }
            for name in file["services"].keys {
                for key in file["services"][name]["environment"].keys where key.contains("PASSWORD") {
                    #expect(key.hasSuffix("_FILE"), "\(name): \(key)")
                }
            }
        }
    }

    @Test("A second replica is the first one again, but for its port", arguments: services)
    func replicas(service: String) throws {
        let first = try compose()["services"][service]
        let file = try scale()["services"]
        let second = file["\(service)-2"]
        #expect(second["image"].text == first["image"].text)
        #expect(Set(second["secrets"].texts) == Set(first["secrets"].texts))
        #expect(second["environment"].keys == first["environment"].keys)
        let ofServers = ["NATS_URL", "DATABASE_URL"]
        for key in first["environment"].keys where !ofServers.contains(key) {
            #expect(second["environment"][key].text == first["environment"][key].text, "\(key)")
        }
        for key in ofServers {
            #expect(second["environment"][key].text == file[service]["environment"][key].text, "\(key)")
        }
        #expect(second["networks"].texts == first["networks"].texts)
    }

    @Test("Emulated phones are there only where they are asked for, and activity-dispatch then pushes to them alone")
    func phones() throws {
        #expect(try compose()["services"]["apns-emulator"]["profiles"].texts == ["phones"])
        let service = try YAML.document("docker-compose.phones.yml")["services"]["activity-dispatch"]
        let files = service["environment"].keys.filter { $0.hasSuffix("_FILE") }
        for key in files { #expect(service["environment"][key].text?.hasPrefix("/run/apns/") == true, "\(key)") }
        for key in ["APNS_PRODUCTION_URL", "APNS_SANDBOX_URL"] {
            #expect(service["environment"][key].text?.hasPrefix("https://apns-emulator:") == true)
        }
        #expect(service["volumes"].texts == ["${DOORSTEP_SECRETS}/apns:/run/apns:ro"])
    }

    @Test("Each service waits for the job that checks the public origins, of which each process is given the same")
    func origins() throws {
        let services = try compose()["services"]
        let job = services["origins"]
        #expect(job["command"].texts == ["admin", "check-origins"])
        let replicas = try scale()["services"]
        for service in Self.services {
            for process in [services[service], replicas["\(service)-2"]] {
                #expect(
                    process["depends_on"]["origins"]["condition"].text == "service_completed_successfully",
                    "\(service)")
                for key in process["environment"].keys where key.hasSuffix("S_ORIGIN") || key == "DESK_ORIGIN" {
                    #expect(process["environment"][key].text == job["environment"][key].text, "\(service): \(key)")
                }
            }
        }
        #expect(job["environment"]["ENVIRONMENT"].text == services["orders"]["environment"]["ENVIRONMENT"].text)
        for key in job["environment"].keys {
            #expect(services["doorstep-admin"]["environment"][key].text == job["environment"][key].text, "\(key)")
        }
    }

    @Test("The proxy has no rights and TLS alone, passes event streams on unbuffered, and its services trust it")
    func proxy() throws {
        let file = try YAML.document("docker-compose.tls.yml")
        let proxy = file["services"]["proxy"]
        #expect(proxy["read_only"].isTrue && proxy["cap_drop"].texts == ["ALL"])
        #expect(proxy["security_opt"].texts == ["no-new-privileges:true"])
        #expect(proxy["networks"].texts == ["edge"], "it reaches neither Postgres nor NATS")
        #expect(Set(proxy["secrets"].texts) == ["tls-certificate", "tls-key"])
        let script = try String(contentsOf: Project.root.appending(path: "Infra/docker/proxy"), encoding: .utf8)
        #expect(script.contains("proxy_buffering off;") && script.contains("access_log off;"))
        for service in Self.services where service != "activity-dispatch" {
            let port = try #require(try compose()["services"][service]["ports"].texts.first?.split(separator: ":").last)
            #expect(script.contains(" \(service):\(port))"), "\(service)")
            #expect(file["services"][service]["environment"]["HTTP_TRUSTED_PROXIES"].isThere)
            #expect(proxy["depends_on"][service]["condition"].text == "service_healthy")
        }
    }

    @Test("A file of map images is mounted for the desk to read, in Compose and in the example for Kubernetes")
    func tiles() throws {
        let service = try YAML.document("docker-compose.tiles.yml")["services"]["desk"]
        #expect(service["environment"]["DESK_TILES_FILE"].text == "/run/tiles.pmtiles")
        #expect(service["volumes"].texts == ["${DOORSTEP_TILES_FILE}:/run/tiles.pmtiles:ro"])
        let pod = try YAML.document("Infra/kubernetes/examples/tiles.yaml")["spec"]["template"]["spec"]
        let container = pod["containers"][0]
        #expect(container["name"].text == "desk" && container["env"][0]["name"].text == "DESK_TILES_FILE")
        let folder = try #require(container["volumeMounts"][0]["mountPath"].text)
        #expect(container["env"][0]["value"].text?.hasPrefix("\(folder)/") == true)
        #expect(container["volumeMounts"][0]["readOnly"].isTrue)
        #expect(pod["volumes"][0]["name"].text == container["volumeMounts"][0]["name"].text)
    }

    @Test("Compose 1.29.2 understands it: nothing that came later")
    func olderCompose() throws {
        let paths = ["yml", "scale.yml", "phones.yml", "tls.yml", "tiles.yml"].map { "docker-compose.\($0)" }
        for path in paths {
            let file = try YAML.document(path)
            #expect(file.keys.isDisjoint(with: ["name", "include", "configs", "version"]), "\(path)")
            for name in file["services"].keys {
                let service = file["services"][name]
                #expect(
                    service.keys.isDisjoint(with: ["develop", "configs", "models", "post_start"]), "\(path): \(name)")
                #expect(service["healthcheck"]["start_interval"].isThere == false, "\(path): \(name)")
                for port in service["ports"].items { #expect(port.text != nil, "\(path): \(name) has a long port") }
            }
            let text = try String(contentsOf: Project.root.appending(path: path), encoding: .utf8)
            #expect(text.firstMatch(of: /\$\{[^}]*\$\{/) == nil, "\(path) nests variables")
        }
    }

    // MARK: Kubernetes

    private func kubernetes() throws -> [YAML] {
        let listed = try YAML.document("Infra/kubernetes/kustomization.yaml")["resources"].texts
        let folder = Project.root.appending(path: "Infra/kubernetes").path
        let there = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".yaml") && $0 != "kustomization.yaml"
        }
        #expect(Set(listed) == Set(there), "kustomization.yaml lists what is there")
        return try listed.flatMap { try YAML.documents("Infra/kubernetes/\($0)") }
    }

    private func resource(_ kind: String, _ name: String) throws -> YAML {
        try #require(
            try kubernetes().first { $0["kind"].text == kind && $0["metadata"]["name"].text == name }, "\(kind) \(name)"
        )
    }

    @Test("Every resource says what it is")
    func resources() throws {
        for resource in try kubernetes() {
            #expect(resource["apiVersion"].text != nil && resource["kind"].text != nil)
            #expect(resource["metadata"]["name"].text != nil)
        }
    }

    @Test("A deployment is the service of docker-compose.yml: image, port, secrets, settings", arguments: services)
    func deployments(service: String) throws {
        let pod = try resource("Deployment", service)["spec"]["template"]["spec"]
        let container = pod["containers"][0]
        let composed = try compose()["services"][service]
        let image = try #require(composed["image"].text?.split(separator: ":").first)
        #expect(container["image"].text == "\(image):latest")

        let port = try #require(container["ports"][0]["containerPort"].number)
        #expect(composed["ports"].texts.allSatisfy { $0.hasSuffix(":\(port)") })
        let published = try resource("Service", service)["spec"]["ports"][0]["port"].number
        #expect(published == port)
        let sources = try Project.files(in: ["Services/\(service)"])
        #expect(sources.contains { $0.lines.contains { $0.contains("\"http.port\": \"\(port)\"") } }, "its own default")

        let shared = try resource("ConfigMap", "doorstep")["data"].keys
        let own = Set(container["env"].items.compactMap { $0["name"].text })
        // The clock is the wall's in production; a log's format is the default's.
        let clock: Set = ["CLOCK_ORIGIN", "CLOCK_WALL_ORIGIN", "CLOCK_RATE"]
        #expect(own.union(shared).subtracting(["LOG_FORMAT"]) == composed["environment"].keys.subtracting(clock))

        let volumes = pod["volumes"].items
        let volumeSecrets =
            volumes.map { $0["secret"] } + volumes.flatMap { $0["projected"]["sources"].items.map { $0["secret"] } }
        let mounted = Set(volumeSecrets.flatMap { $0["items"].items }.compactMap { $0["key"].text })
        let secrets = try compose()["secrets"]
        let files = composed["secrets"].texts.compactMap { secrets[$0]["file"].text?.split(separator: "/").last }
        #expect(mounted == Set(files.map { String($0) }))
    }

    @Test("A deployment is probed, survives a drained node, and gains no rights", arguments: services + ["nats"])
    func robustness(name: String) throws {
        let workload = try resource(name == "nats" ? "StatefulSet" : "Deployment", name)
        let replicas = try #require(workload["spec"]["replicas"].number)
        #expect(replicas >= 2)
        let pod = workload["spec"]["template"]["spec"]
        let container = pod["containers"][0]
        for probe in ["readinessProbe", "livenessProbe"] { #expect(container[probe].isThere, "\(probe)") }
        if name != "nats" {
            #expect(container["readinessProbe"]["httpGet"]["path"].text == "/health/ready")
            #expect(container["livenessProbe"]["httpGet"]["path"].text == "/health/live")
        }
        let budget = try resource("PodDisruptionBudget", name)["spec"]
        #expect(budget["selector"]["matchLabels"]["app"].text == name)
        let staying = budget["minAvailable"].number ?? replicas - (budget["maxUnavailable"].number ?? replicas)
        #expect((1..<replicas).contains(staying), "\(staying) of \(replicas) stay, and one may go")
        #expect(pod["securityContext"]["runAsNonRoot"].isTrue)
        #expect(container["securityContext"]["readOnlyRootFilesystem"].isTrue)
        #expect(container["securityContext"]["capabilities"]["drop"].texts == ["ALL"])
        #expect(container["resources"]["limits"]["memory"].isThere)
        #expect(!pod["automountServiceAccountToken"].isTrue)
    }

    @Test("A pod that is replaced serves until nobody sends it requests, and then drains", arguments: services)
    func replacement(service: String) throws {
        let pod = try resource("Deployment", service)["spec"]["template"]["spec"]
        let pause = try #require(pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"].number)
        let grace = try #require(pod["terminationGracePeriodSeconds"].number)
        #expect(pause >= 5)
        #expect(grace >= pause + 20 + 5, "the pause, drain.timeout.seconds, and what ends after it")
    }

    @Test("No pod connects to another unless a policy allows it, and each reaches the stores that it needs")
    func policies() throws {
        let policies = try kubernetes().filter { $0["kind"].text == "NetworkPolicy" }
        let closed = try #require(policies.first { $0["metadata"]["name"].text == "nothing" })
        #expect(closed["spec"]["podSelector"].keys.isEmpty)
        #expect(Set(closed["spec"]["policyTypes"].texts) == ["Ingress", "Egress"])
        #expect(!closed["spec"]["ingress"].isThere && !closed["spec"]["egress"].isThere)

        let workloads = try kubernetes().filter { ["Deployment", "Job"].contains($0["kind"].text) }
        #expect(workloads.count == 7)
        for workload in workloads {
            let labels = workload["spec"]["template"]["metadata"]["labels"]
            let names = Set(
                workload["spec"]["template"]["spec"]["containers"][0]["env"].items.compactMap { $0["name"].text })
            let name = workload["metadata"]["name"].text ?? ""
            #expect((labels["doorstep/uses-postgres"].text == "yes") == names.contains("DATABASE_URL"), "\(name)")
            #expect((labels["doorstep/uses-nats"].text == "yes") == names.contains("NATS_USER"), "\(name)")
        }
    }

    @Test("Inside the cluster the desk alone calls the services, at their ports; from outside come pages and scrapes")
    func callers() throws {
        let policies = try kubernetes().filter { $0["kind"].text == "NetworkPolicy" }
        func apps(_ selector: YAML) -> Set<String> {
            Set(selector["matchExpressions"].items.flatMap { $0["values"].texts })
                .union([selector["matchLabels"]["app"].text].compactMap(\.self))
        }
        let asked = Self.services.filter { $0 != "desk" }
        for service in Self.services {
            let ingress = policies.filter { apps($0["spec"]["podSelector"]).contains(service) }
                .flatMap { $0["spec"]["ingress"].items }
            let pods = ingress.flatMap { $0["from"].items }.map { $0["podSelector"] }.filter(\.isThere)
            #expect(pods.map(apps) == (service == "desk" ? [] : [["desk"]]), "\(service)")
            #expect(ingress.allSatisfy { $0["from"].isThere && $0["ports"].isThere }, "\(service)")
        }
        let egress = try resource("NetworkPolicy", "desk-to-services")["spec"]["egress"].items
        #expect(egress.flatMap { $0["to"].items }.map { apps($0["podSelector"]) } == asked.map { [$0] })
        let ports = try asked.map { try resource("Service", $0)["spec"]["ports"][0]["port"].number }
        #expect(egress.map { $0["ports"][0]["port"].number } == ports)
    }

    @Test("Webhooks leave the cluster over TLS alone, for public addresses: no private or special range is among them")
    func webhooks() throws {
        let policy = try resource("NetworkPolicy", "webhooks")["spec"]
        #expect(policy["podSelector"]["matchLabels"]["app"].text == "partners")
        #expect(policy["policyTypes"].texts == ["Egress"])
        let egress = policy["egress"].items
        #expect(egress.count == 1 && egress[0]["ports"].items.count == 1)
        #expect(egress[0]["ports"][0]["port"].number == 443 && egress[0]["ports"][0]["protocol"].text == "TCP")
        let blocks = egress[0]["to"].items.map { $0["ipBlock"] }
        #expect(blocks.map { $0["cidr"].text } == ["0.0.0.0/0", "2000::/3"])
        let excepted = Set(blocks.flatMap { $0["except"].texts })
        let closed = [
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
        ]
        #expect(excepted == Set(closed))
    }
}
