// VitePress's search dialog says to screen readers what it is: its own is a button around everything, and a link inside of
// each option. A change of VitePress's component that this does not fit ends the build.

const COMPONENT = /theme-default\/components\/VPLocalSearchBox\.vue$/;

/** The roles of a combobox with a list: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/ */
const CHANGES = [
  [
    `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"
`,
    `role="dialog"
      aria-modal="true"
`,
  ],
  [
    `aria-autocomplete="both"
`,
    `aria-autocomplete="list"
            role="combobox"
            aria-haspopup="listbox"
            :aria-expanded="results?.length ? 'true' : 'false'"
`,
  ],
  [
    `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"
`,
    `role="presentation"
`,
  ],
  [
    `:aria-label="[...p.titles, p.title].join(' > ')"
`,
    `:id="'localsearch-item-' + index"
              :aria-selected="selectedIndex === index ? 'true' : 'false'"
              role="option"
`,
  ],
  ['<span class="title-icon">', '<span class="title-icon" aria-hidden="true">'],
  // A key is a picture of what is on it: a <kbd> alone may have no name.
  ['<kbd :aria-label', '<kbd role="img" :aria-label'],
];

/** A plugin of Vite. */
export const searchDialog = {
  name: 'halfopen:search-dialog',
  enforce: 'pre',
  transform(code, id) {
    if (!COMPONENT.test(id)) return undefined;
    return CHANGES.reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${id} has changed: search-dialog.mjs looks for ${from}`);
      return text.replaceAll(from, () => to);
    }, code);
  },
};
