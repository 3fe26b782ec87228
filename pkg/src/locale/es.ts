// `halfopen/locale/es`: Spanish for `halfopen/slim`. Importing it registers the language.

import { registerLanguage } from '../languages.js';
import { es as templates } from '../message/locale/es.js';
import { esLabels as labels } from '../recovery/locale/es.js';
import { esStatusTexts as statusTexts } from '../response/locale/es.js';

registerLanguage('es', { templates, statusTexts, labels });
