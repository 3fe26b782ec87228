// mustache: plain errors about templates, and TypeErrors about what it was given.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['mustache'] });
const render = async (...from) => (await import('mustache')).default.render(...from);
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
for (const [name, why, template, more = []] of [
  ['unclosed-tag', 'Unclosed tag', 'Hello {{name'],
  ['unclosed-section', 'Unclosed section', '{{#items}}x'],
  ['unopened-section', 'Unopened section', 'x{{/items}}'],
  ['other-section', 'the section that ends is another', '{{#items}}x{{/orders}}'],
  ['bad-tags', 'Invalid tags', 'x', [undefined, ['{{']]],
  ['bad-delimiters', 'Invalid tags in the template', '{{=<%=}}'],
  ['no-text', 'Invalid template! Template should be a "string"', 42],
])
  lib.add(name, wrong, why, () => render(template, { name: 'June' }, ...more));
lib.add(
  'thrown-by-view',
  final('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'a function of the view throws',
  () =>
    render('{{total}}', {
      total() {
        return this.items.length;
      },
    }),
);
export default lib;
