// `halfopen/locale/ja`: Japanese for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { ja as templates } from '../message/locale/ja.js';
import { jaLabels as labels } from '../recovery/locale/ja.js';
import { jaStatusTexts as statusTexts } from '../response/locale/ja.js';

registerLanguage('ja', { templates, statusTexts, labels });
