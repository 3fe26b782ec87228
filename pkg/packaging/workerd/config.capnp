using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:PORT", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "bundle/main.js"),
    (name = "policy.wasm", wasm = embed "bundle/policy.wasm"),
    (name = "errors.wasm", wasm = embed "bundle/errors.wasm"),
    (name = "agent.wasm", wasm = embed "bundle/agent.wasm"),
  ],
  compatibilityDate = "2025-01-01",
);
