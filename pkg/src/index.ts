/// <reference lib="esnext.disposable" preserve="true" />
// The package's main entry: everything public, by area.
export {};
