// The examples of docs/integrations, on the packages that they are about.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { testExamples } from '../../pkg/test/docs-examples.js';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const pages = readdirSync(`${docs}integrations`).map((name) => `integrations/${name}`);
testExamples(docs, pages, fileURLToPath(new URL('./', import.meta.url)));
