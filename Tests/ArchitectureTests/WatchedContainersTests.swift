import Foundation
import Testing

/// Logs and profiles of containers, copies of standbys, and the targets of Prometheus.
@Suite("Logs, profiles, copies and metrics of containers")
struct WatchedContainersTests {
    @Test("Every container's log is bounded")
    func logs() throws {
        for path in ["yml", "scale.yml", "tls.yml"].map({ "docker-compose.\($0)" }) {
            let services = try YAML.document(path)["services"]
            for name in services.keys where services[name]["image"].isThere {
                let options = services[name]["logging"]["options"]
                #expect(options["max-size"].text != nil && options["max-file"].text != nil, "\(path): \(name)")
            }
        }
    }

    @Test("No script asks Docker for ids alone and for a format at once, since newer clients ignore the format then")
    func formats() throws {
        let folder = Project.root.appending(path: "Infra/docker")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: name)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
            if isFolder.boolValue { continue }
            let text = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: "")
            for command in text.split(separator: "\n") {
                #expect(!(command.contains("--quiet") && command.contains("--format")), "\(name): \(command)")
            }
        }
    }

    @Test("The containers of every profile are removed with the others")
    func profiles() throws {
        let script = try String(contentsOf: Project.root.appending(path: "Infra/docker/compose"), encoding: .utf8)
        let removed = try #require(
            script.firstMatch(of: #/= down \]; then\s+export COMPOSE_PROFILES=\$\{[^}]*\}([a-z,]+)/#))
        let services = try YAML.document("docker-compose.yml")["services"]
        let profiles = Set(services.keys.flatMap { services[$0]["profiles"].texts })
        #expect(Set(removed.1.split(separator: ",").map(String.init)) == profiles)
    }

    @Test("A standby's copy is whole before it is used, and has no standby to wait for once it is promoted")
    func standby() throws {
        let script = try String(contentsOf: Project.root.appending(path: "Infra/docker/standby"), encoding: .utf8)
        let copied = try #require(script.range(of: "pg_basebackup --"))
        let removed = try #require(script.range(of: "/^synchronous_standby_names/d"))
        let whole = try #require(script.range(of: #"mv "$copy/global" "$PGDATA""#))
        let started = try #require(script.range(of: "exec postgres"))
        #expect(copied.upperBound < removed.lowerBound && removed.upperBound < whole.lowerBound)
        #expect(whole.upperBound < started.lowerBound)
        #expect(script.contains(#"[ ! -e "$PGDATA/postmaster.opts" ] && [ ! -e "$PGDATA/global/pg_control" ]"#))
    }

    @Test(
        "Prometheus finds each pod by its annotations, and its job is one whose absence pages",
        arguments: ["orders", "courier-eta", "activity-dispatch", "desk", "partners"])
    func scraped(service: String) throws {
        let resources = try YAML.documents("Infra/kubernetes/\(service).yaml")
        let deployment = try #require(resources.first { $0["kind"].text == "Deployment" })
        let template = deployment["spec"]["template"]
        let annotations = template["metadata"]["annotations"]
        #expect(annotations["prometheus.io/scrape"].text == "true")
        #expect(annotations["prometheus.io/path"].text == "/metrics")
        let port = try #require(template["spec"]["containers"][0]["ports"][0]["containerPort"].number)
        #expect(annotations["prometheus.io/port"].text == "\(port)")
        let app = try #require(template["metadata"]["labels"]["app"].text)
        let rules = try YAML.document("Infra/dashboards/rules.yaml")["groups"][0]["rules"].items
        let rule = try #require(rules.first { $0["alert"].text == "DoorstepNotScraped" })
        #expect(rule["expr"].text?.contains("absent(up{job=\"\(app)\"})") == true)

        let job = try YAML.document("Infra/dashboards/prometheus-kubernetes.yaml")["scrape_configs"][0]
        let discovery = job["kubernetes_sd_configs"][0]
        #expect(discovery["role"].text == "pod")
        let namespace = try YAML.document("Infra/kubernetes/namespace.yaml")["metadata"]["name"].text
        #expect(discovery["namespaces"]["names"].texts == [namespace])
        let relabelled = job["relabel_configs"].items
        let ofJob = try #require(relabelled.first { $0["target_label"].text == "job" })
        #expect(ofJob["source_labels"].texts == ["__meta_kubernetes_pod_label_app"])
        let annotated = relabelled.flatMap { $0["source_labels"].texts }
        for name in ["scrape", "path", "port"] {
            #expect(annotated.contains("__meta_kubernetes_pod_annotation_prometheus_io_\(name)"))
        }
    }
}
