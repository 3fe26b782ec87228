using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:PORT", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "main.js", esModule = embed "bundle/main.js"),
    (name = "core.wasm", wasm = embed "bundle/core.wasm"),
  ],
  compatibilityDate = "2025-01-01",
);
