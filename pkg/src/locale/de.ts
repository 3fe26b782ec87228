// `halfopen/locale/de`: German for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { de as templates } from '../message/locale/de.js';
import { deLabels as labels } from '../recovery/locale/de.js';
import { deStatusTexts as statusTexts } from '../response/locale/de.js';

registerLanguage('de', { templates, statusTexts, labels });
