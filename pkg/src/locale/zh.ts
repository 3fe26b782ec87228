// `halfopen/locale/zh`: Chinese for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { zh as templates } from '../message/locale/zh.js';
import { zhLabels as labels } from '../recovery/locale/zh.js';
import { zhStatusTexts as statusTexts } from '../response/locale/zh.js';

registerLanguage('zh', { templates, statusTexts, labels });
