// The package's entry points, one row each, and the `exports` of pkg/package.json that they make.
//   node scripts/doors.mjs            compares; exits with 1 where the committed map differs
//   UPDATE=1 node scripts/doors.mjs   writes the map
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

/** Also below `./js`, where the core is JavaScript. */
const js = true;

/** The path for an import, the name of the built file, and the source in pkg/src. `types`: of another source. */
const DOORS = [
  ['.', 'index', 'every-language', { js, types: 'index', late: 'index-page' }],
  ['./testing', 'testing', 'testing', { js }],
  ['./devtools', 'devtools', 'devtools/index', { js, page: 'devtools-browser' }],
  ['./devtools/embed', 'devtools-embed', 'devtools/embed/index', { nothing: 'devtools/embed/nothing' }],
  ['./otel', 'otel', 'otel'],
  ['./lab', 'lab', 'lab/index'],
  ['./fleet', 'fleet', 'fleet/index'],
  ['./run', 'run', 'run/index'],
  ['./fleet/redis', 'fleet-redis', 'fleet/redis'],
  ['./fleet/durable-object', 'fleet-durable-object', 'fleet/durable-object'],
  ['./fleet/kv', 'fleet-kv', 'fleet/kv'],
  ['./fleet/conformance', 'fleet-conformance', 'fleet/conformance'],
  ['./once', 'once', 'once/index'],
  ['./once/redis', 'once-redis', 'once/redis'],
  ['./once/postgres', 'once-postgres', 'once/postgres'],
  ['./once/kv', 'once-kv', 'once/kv'],
  ['./once/conformance', 'once-conformance', 'once/conformance'],
  ['./rehearse', 'rehearse', 'rehearse/index'],
  ['./log', 'log', 'log', { js }],
  ['./ai-sdk', 'ai-sdk', 'ai-sdk/index', { js }],
  ['./guard', 'guard', 'guard/index', { js }],
  ['./repair', 'repair', 'repair/index', { js }],
  ['./langchain', 'langchain', 'langchain/index', { js }],
  ['./undici', 'undici', 'integrations/undici', { js }],
  ['./openai-agents', 'openai-agents', 'integrations/openai-agents', { js }],
  ['./mcp', 'mcp', 'mcp/index', { js }],
  ['./langgraph', 'langgraph', 'integrations/langgraph', { js }],
  ['./effect', 'effect', 'integrations/effect', { js }],
  ['./matchers', 'matchers', 'integrations/matchers', { js }],
];

const FILES = {
  './policy.wasm': './dist/policy.wasm',
  './errors.wasm': './dist/errors.wasm',
  './agent.wasm': './dist/agent.wasm',
  './lab.wasm': './dist/lab.wasm',
  './lab/scenario.schema.json': './schema/scenario.schema.json',
  './fleet.wasm': './dist/fleet.wasm',
  './run.wasm': './dist/run.wasm',
  './package.json': './package.json',
};

/** By the name of the built file: the source of every entry point with a name of its own. */
export const SOURCES = Object.fromEntries(DOORS.map(([, name, source]) => [name, `${source}.ts`]));

const module = (format, types, name) => ({
  types: `./dist/${format}/${types}.d.ts`,
  default: `./dist/${format}/${name}.js`,
});

/** The conditions of an entry point. `page`: what a browser and a worker get. `late`: what a page gets, whose words come late. `nothing`: what all get but development builds. */
function conditions(name, types, { page, late, nothing }) {
  if (nothing !== undefined) {
    const [stub, built] = [nothing, `${name}-nothing`];
    return {
      development: module('esm', types, name),
      module: module('esm', stub, built),
      require: module('cjs', stub, built),
      default: module('esm', stub, built),
    };
  }
  const outside = module('esm', types, page ?? name);
  return {
    workerd: outside,
    'edge-light': outside,
    ...(page !== undefined && { browser: outside }),
    // Jest's jsdom is a browser that requires; a bundler's `require` gets the same copy as its imports.
    ...(late !== undefined && {
      browser: {
        module: module('esm', types, late),
        import: module('esm', types, late),
        require: module('cjs', types, name),
        default: `./dist/esm/${late}.js`,
      },
    }),
    module: module('esm', types, name), // a bundler's `require` too: one copy, and no file that it would have to find
    import: module('esm', types, name),
    require: module('cjs', types, name),
    default: `./dist/esm/${name}.js`,
  };
}

/** The map, its keys in the order of the rows. */
function exportsOf(doors) {
  const own = doors.map(([path, name, source, options = {}]) => [
    path,
    conditions(name, options.types ?? source, options),
  ]);
  const twins = doors
    .filter(([, , , options]) => options?.js)
    .map(([path, name, source, { types = source, page = name }]) => [
      path.replace('.', './js'),
      { types: `./dist/esm/${types}.d.ts`, default: `./dist/js/${page}.js` },
    ]);
  return { ...Object.fromEntries([...own, ...twins]), ...FILES };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = join(root, 'pkg/package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const made = exportsOf(DOORS);
  // The order counts as well: the first condition that holds is taken.
  const isSame = JSON.stringify(made) === JSON.stringify(manifest.exports);
  if (process.env.UPDATE === '1')
    writeFileSync(file, `${JSON.stringify({ ...manifest, exports: made }, null, 2)}\n`);
  else if (!isSame) {
    console.error('doors: the exports of pkg/package.json differ: UPDATE=1 node scripts/doors.mjs');
    process.exitCode = 1;
  } else console.log(`doors: ${Object.keys(made).length} paths of ${DOORS.length} rows`);
}
