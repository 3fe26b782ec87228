// What knip (https://knip.dev) takes as used: the files that somebody else opens. `!` marks what is shipped or runs in a build;
// `knip --production` looks at that alone, so that an export which only tests use counts as unused.
import { SOURCES } from '../doors.mjs';

export default {
  workspaces: {
    '.': {
      entry: ['scripts/*.mjs!', 'web/*.js!'],
      project: ['scripts/*.mjs!', 'web/*.js!'],
      // Commands that scripts run by their path: wasm-opt and wasm2js, and the loader of `node --import`.
      ignoreDependencies: ['binaryen', 'tsx'],
    },
    pkg: {
      // The doors, and what the build's plug-ins put instead of others.
      entry: [
        ...Object.values(SOURCES).map((source) => `src/${source}!`),
        'src/devtools/{browser,embed/nothing,embed/lab-files}.ts!',
        'src/entry/*.ts!',
        'src/diagnose/{index,mcp}.ts!',
        'src/lab/{real/index,worker/worker,worker/module}.ts!',
        'bin/*.js!',
        'test/**/*.test.ts',
      ],
      project: ['src/**/*.ts!', 'bin/*.js!', 'test/**/*.ts', '!test/contract/**'],
      // An example of docs/devtools.md imports it, and is type-checked.
      ignoreDependencies: ['@opentelemetry/api-logs'],
    },
    'pkg/bench': { entry: ['*.{ts,mjs}'], project: ['**/*.{ts,mjs}'] },
    'pkg/packaging': {
      entry: ['**/*.{mjs,cjs,js}'],
      project: ['**/*.{mjs,cjs,js}'],
      // run.mjs runs them by the paths of their binaries.
      ignoreDependencies: ['@arethetypeswrong/cli', 'bun', 'deno', 'publint', 'workerd'],
    },
    examples: { entry: ['*.ts', 'faulty-provider/*.ts'], project: ['**/*.ts'] },
    tests: {
      entry: [
        '**/*.test.ts',
        '**/*.mjs',
        '{e2e,exported,fixtures,agreement,soak}/*.ts',
        'fleet/**/*.ts',
        'vitest/*.ts',
      ],
      project: ['**/*.{ts,mjs}'],
      // Packages of their own with their own installs.
      ignore: ['integrations/**', 'rehearsal/**', 'sdk-errors/**', 'tool-errors/**'],
    },
    // What they import of others counts; they themselves are not looked at, as their packages are their own.
    site: { entry: ['test/*.ts', 'playground/*.ts', '*.mjs'], project: [], ignoreDependencies: [/./] },
    'tests/integrations': { entry: ['**/*.{ts,mjs}'], project: [] },
  },
};
