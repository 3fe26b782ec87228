// `halfopen/locale/zh`: Chinese for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { zh as templates } from '../message/locale/zh.js';
import { zh as labels } from '../recovery/locale/zh.js';
import { zh as statusTexts } from '../response/locale/zh.js';

registerLanguage('zh', { templates, statusTexts, labels });
