// The package's foreign contents: the crates compiled into its WebAssembly and the npm packages bundled into its
// JavaScript, with their licences as text (THIRD-PARTY-NOTICES.txt) and as a CycloneDX list (sbom.cdx.json), because an
// audit of node_modules sees neither.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './building.mjs';

/** The crates whose wasm is shipped. */
const SHIPPED = ['halfopen-wasm', 'halfopen-web', 'halfopen-answers', 'halfopen-diagnose'];

/** Part of all wasm, and no crate of a registry. */
const STANDARD_LIBRARY = {
  type: 'cargo',
  name: 'std (the Rust standard library)',
  version: undefined,
  licence: 'MIT OR Apache-2.0',
  home: 'https://github.com/rust-lang/rust',
  texts: ['Copyright (c) The Rust Project Contributors\n'],
};

/** The texts of a licence in a folder. Of a choice that includes MIT, the MIT one is taken: both need not be shipped. */
function licenceTexts(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|unlicense)/i.test(name));
  const mit = names.filter((name) => /mit/i.test(name));
  const taken = (mit.length ? mit : names).filter((name) => /\.(md|txt)$|^[^.]+$/i.test(name));
  return taken.sort().map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}

function crates() {
  const options = ['--format-version', '1', '--locked', '--features', 'halfopen-wasm/all'];
  const metadata = JSON.parse(
    execFileSync('cargo', ['metadata', ...options, '--filter-platform', 'wasm32-unknown-unknown'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: Number.POSITIVE_INFINITY,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const packages = new Map(metadata.packages.map((found) => [found.id, found]));
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const isMacro = ({ targets }) => targets.some(({ kind }) => kind.includes('proc-macro'));
  const seen = new Set();
  const visit = (id) => {
    const found = packages.get(id);
    if (seen.has(id) || isMacro(found)) return; // a macro runs in the compiler and is not shipped
    seen.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps)
      if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg);
  };
  for (const { id, name } of packages.values()) if (SHIPPED.includes(name)) visit(id);
  return [...seen]
    .map((id) => packages.get(id))
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, repository, manifest_path, authors }) => {
      const texts = licenceTexts(dirname(manifest_path));
      return {
        type: 'cargo',
        name,
        version,
        licence: license,
        home: repository,
        texts: texts.length ? texts : [`Copyright (c) ${authors.join(', ') || `the authors of ${name}`}`],
      };
    });
}

/** The npm packages among the inputs of these esbuild metafiles. */
function bundled(metafiles) {
  const folders = new Set();
  for (const input of metafiles.flatMap(({ inputs }) => Object.keys(inputs))) {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
    if (folder) folders.add(join(root, folder));
  }
  return [...folders].filter(existsSync).map((folder) => {
    const { name, version, license, homepage } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const texts = licenceTexts(folder);
    if (texts.length === 0) throw new Error(`${name} is bundled, and no licence was found in ${folder}`);
    return { type: 'npm', name, version, licence: license, home: homepage, texts };
  });
}

/** A text without its copyright lines, so that equal licences are printed once, and these lines. */
function split(text) {
  const lines = text.split('\n');
  const isNotice = (line) => /^\s*copyright\b(?!.*\b(owner|holder|notice|licen[cs]e)\b)/i.test(line);
  return {
    body: lines
      .filter((line) => !isNotice(line))
      .join('\n')
      .trim(),
    notices: lines.filter(isNotice).map((line) => line.trim()),
  };
}

/** Both files' contents for what these esbuild metafiles bundle and the wasm contains. */
export function notices(metafiles) {
  const parts = [...bundled(metafiles), STANDARD_LIBRARY, ...crates()];
  parts.sort((a, b) => a.name.localeCompare(b.name));
  const licences = new Map();
  for (const part of parts) {
    for (const { body, notices: lines } of part.texts.map(split)) {
      const key = body.replaceAll(/\s+/g, ' ');
      const known = licences.get(key) ?? { body, lines: new Set() };
      licences.set(key, known);
      for (const line of lines) known.lines.add(`${part.name}: ${line}`);
      if (lines.length === 0) known.lines.add(part.name);
    }
  }
  const label = ({ name, version, licence, home }) =>
    `${[name, version].filter(Boolean).join(' ')}, ${licence}${home ? `, ${home}` : ''}`;
  const texts = [...licences.values()].map(({ body, lines }) => `${[...lines].join('\n')}\n\n${body}`);
  const rule = `\n\n${'─'.repeat(100)}\n\n`;
  return {
    text: `Halfopen contains the following in its JavaScript and WebAssembly.\n\n${parts.map(label).join('\n')}${rule}${texts.join(rule)}\n`,
    sbom: `${JSON.stringify(
      {
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        version: 1,
        components: parts
          .filter(({ version }) => version !== undefined)
          .map(({ type, name, version, licence }) => ({
            type: 'library',
            name,
            version,
            purl: `pkg:${type}/${name.replace('@', '%40')}@${version}`,
            licenses: [{ expression: licence.replaceAll('/', ' OR ') }],
          })),
      },
      null,
      1,
    )}\n`,
    count: parts.length,
  };
}
