// VitePress's theme without its fonts: the reader's own need no download.
import DefaultTheme, { VPHomeFeatures, VPHomeHero } from 'vitepress/theme-without-fonts';
import { defineAsyncComponent } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // The front page has them within its own <main>, which the theme's layout of a front page lacks.
    app.component('HomeHero', VPHomeHero);
    app.component('HomeFeatures', VPHomeFeatures);
    // Loaded with its page alone: it brings the package.
    app.component(
      'Playground',
      defineAsyncComponent(() => import('./Playground.vue')),
    );
  },
};
