// The package's main entry: everything public, by area.
export {};
