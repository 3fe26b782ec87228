using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "storage", disk = (path = "STORAGE", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:PORT", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "main.js"),
    (name = "policy.wasm", wasm = embed "policy.wasm"),
    (name = "errors.wasm", wasm = embed "errors.wasm"),
    (name = "agent.wasm", wasm = embed "agent.wasm"),
    (name = "fleet.wasm", wasm = embed "fleet.wasm"),
  ],
  compatibilityDate = "2025-10-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    (name = "FLEET", durableObjectNamespace = "FleetObject"),
    (name = "KV", kvNamespace = (name = "main", entrypoint = "Kv")),
  ],
  durableObjectNamespaces = [(className = "FleetObject", uniqueKey = "fleet", enableSql = true)],
  durableObjectStorage = (localDisk = "storage"),
);
