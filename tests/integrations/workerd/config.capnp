using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["local", "private"])),
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
  ],
  compatibilityDate = "2025-10-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [(name = "Guide", durableObjectNamespace = "Guide")],
  durableObjectNamespaces = [(className = "Guide", uniqueKey = "guide", enableSql = true)],
  durableObjectStorage = (localDisk = "storage"),
);
